internal import CSQLite
import Dispatch
import RosterText

/// Whether damage was found in the file of a store. From then on, the store refuses changes, so that they do not spread the damage;
/// reads go on.
package final class Damage: Sendable {
    private struct State {
        var isFound = false
        var tell: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    var isFound: Bool { state.withLock { $0.isFound } }

    /// Notes that a statement or a check found damage.
    func note() {
        let tell = state.withLock { state -> (@Sendable () -> Void)? in
            defer { state.isFound = true }
            return state.isFound ? nil : state.tell
        }
        tell?()
    }

    /// Calls `tell` when damage is found for the first time, or at once if it was found.
    func whenFound(_ tell: @escaping @Sendable () -> Void) {
        let isFound = state.withLock { state in
            state.tell = tell
            return state.isFound
        }
        if isFound { tell() }
    }

    func check() throws {
        if isFound {
            throw StoreError(
                .damaged, "The directory's file is damaged, and takes no changes.", advice: "Restore a backup.")
        }
    }
}

extension Store {
    /// Whether damage was found in the file since it was opened.
    package var isDamaged: Bool { damage.isFound }

    /// Whether the file has been deleted, moved or replaced since it was opened for writing.
    package var isFileMoved: Bool { isWritable && file != nil && file?.identity != identity }

    /// Checks the whole file in the background.
    ///
    /// - Parameter tell: Called once when this check, or any later read or change, finds damage.
    package func watchForDamage(_ tell: @escaping @Sendable () -> Void) {
        guard file != nil, isWritable else { return }
        damage.whenFound(tell)
        DispatchQueue(label: "roster.check", qos: .utility).async { [weak self] in
            guard let self else { return }
            // Closing the directory ends the check, and a check that cannot run has found nothing.
            let problems = try? readAlone { try $0.all(StoreStatements.integrity) { $0.text(0) } }
            if let problems, problems != ["ok"] { damage.note() }
        }
    }

    /// How long the check of structure at the start takes at most.
    private static let longestCheck = DispatchTimeInterval.seconds(1)

    /// Checks the structure of a file for a second at most.
    ///
    /// - Throws: ``StoreError`` `damaged`.
    static func checkStructure(of path: String, on connection: Connection) throws {
        let interruption = DispatchWorkItem { connection.engine.interrupt() }
        DispatchQueue.global().asyncAfter(deadline: .now() + longestCheck, execute: interruption)
        defer { interruption.cancel() }
        let problems: [String]
        do {
            problems = try connection.all(StoreStatements.structure) { $0.text(0) }
        } catch let error as StoreError where error.kind == .limitExceeded {
            return
        }
        guard problems != ["ok"] else { return }
        throw StoreError(
            .damaged, "'\(path)' is damaged: \(problems.first ?? "").", advice: "Restore a backup; nothing was written."
        )
    }
}
