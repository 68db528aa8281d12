import Dispatch
import RosterText

/// Work of the writer that is not a change, in steps. Each step runs between two commits, so that a change waits for one step at most.
final class Maintenance: Sendable {
    /// What is left after a step.
    enum Rest {
        case nothing
        case further
        /// Something prevents the next step for now.
        case later(DispatchTimeInterval)
    }

    /// A step. Receives the writing connection, and what runs a checkpoint.
    typealias Step = @Sendable (Connection, (() -> Void) -> Void) throws -> Rest

    let step: Step
    let finish: @Sendable ((any Error)?) -> Void

    init(step: @escaping Step, finish: @escaping @Sendable ((any Error)?) -> Void) {
        self.step = step
        self.finish = finish
    }
}
