/// What undoing a batch of changes has done, or would do.
public struct UndoReport: Sendable, Hashable {
    /// A change that was left out, and why.
    public struct LeftOut: Sendable, Hashable, Codable {
        /// The kind of subject.
        public let entity: Change.Entity
        /// The identifier of the subject as text.
        public let subjectID: String
        /// The present name of the user or role, or else the name at the time of the change; empty after an erasure.
        public let name: String
        /// Why the change was left out, as a part of a sentence that begins with the name.
        public let reason: String
    }

    /// The number of the opposite batch, which can be undone like any other; nil if nothing was undone, and for a preview.
    public internal(set) var batch: Int64?
    /// How many changes were undone, or would be. Each member or owner of a role is a change of its own.
    public internal(set) var undone = 0
    /// The changes that undoing left out, newest first; at most ``mostNamed`` of them.
    public internal(set) var leftOut: [LeftOut] = []
    /// The number of changes that undoing left out.
    public internal(set) var leftOutCount = 0

    /// The largest number of elements of ``leftOut``.
    public static let mostNamed = 1_000

    mutating func add(_ step: UndoStep) {
        undone += step.undone
        leftOutCount += step.leftOut.count
        leftOut += step.leftOut.prefix(Self.mostNamed - leftOut.count)
        if undone > 0, let batch = step.batch { self.batch = batch }
    }
}

/// One step of undoing a batch.
struct UndoStep: WireValue, Codable {
    /// The number of the opposite batch; nil for a preview.
    var batch: Int64?
    var undone = 0
    var leftOut: [UndoReport.LeftOut] = []
    /// The number before which the next step goes on; nil after the last entry.
    var next: Int64?
}

extension UndoStep: ChangeAnswer {
    /// A repeated answer names nobody, because a server keeps no values of people for it.
    package var kept: UndoStep {
        var kept = self
        kept.leftOut = leftOut.map {
            .init(entity: $0.entity, subjectID: $0.subjectID, name: "", reason: "was left out")
        }
        return kept
    }
}
