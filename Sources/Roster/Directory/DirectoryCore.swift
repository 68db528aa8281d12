import Foundation
import RosterStore
import RosterText
import Synchronization

/// The state shared by all views of a directory.
final class DirectoryCore: Sendable {
    let store: Store
    let clock: @Sendable () -> Date
    private let known: Locked<(vocabulary: Vocabulary, number: Int64?)>
    let searches = SearchMemory()
    let rates = RateMemory()
    let commitWaits = CommitWaits()
    let standings: StandingMemory
    let passwordCosts = StoredPasswordCosts()
    /// Whether any role contained another one at the last look. Expectations depend on it, and no answer does.
    private let nestedRoles = Atomic<Bool>(false)
    /// A random number, so that the commit counts of two processes are never taken for one another.
    let startNumber = UInt64.random(in: 0...UInt64.max)
    /// The number of changes of the vocabulary that have begun, and whose vocabulary is not adopted yet.
    fileprivate let vocabularyChanges = Atomic<Int>(0)

    init(store: Store, clock: @escaping @Sendable () -> Date) throws {
        self.store = store
        self.clock = clock
        standings = StandingMemory(clock)
        known = Locked((try store.read { try AttributeManager.vocabulary(on: $0) }, nil))
    }

    var mayHaveNestedRoles: Bool { nestedRoles.load(ordering: .relaxed) }

    func noteNestedRoles(_ isAny: Bool) {
        // A value that is only read stays in the caches of all processors.
        if mayHaveNestedRoles != isAny { nestedRoles.store(isAny, ordering: .relaxed) }
    }

    var vocabulary: Vocabulary { known.withLock { $0.vocabulary } }

    /// The vocabulary, and its number in a database that several servers change: how often the vocabulary has changed there. The number
    /// is nil for a file, and after a change by this process until a read tells the number.
    var numberedVocabulary: (vocabulary: Vocabulary, number: Int64?) { known.withLock { $0 } }

    /// Replaces the vocabulary by the vocabulary of a snapshot of a database that several servers change. Ignores an older vocabulary,
    /// because the snapshot can have been taken before the last change.
    func adopt(_ vocabulary: Vocabulary, number: Int64) {
        let isNew = known.withLock { known in
            guard known.vocabulary.revision <= vocabulary.revision else { return false }
            defer { known = (vocabulary, number) }
            return known.number != number
        }
        if isNew { store.wakeFollowers() }
    }

    /// Whether the stored vocabulary may differ from ``vocabulary``.
    var isVocabularyChanging: Bool { vocabularyChanges.load(ordering: .sequentiallyConsistent) > 0 }

    /// Replaces the vocabulary after a change, and ignores a vocabulary that is older than the present one: two concurrent changes can
    /// call this method in either order. Wakes the followers, because a follower may have read with the old vocabulary after the commit.
    func adopt(_ vocabulary: Vocabulary) {
        let isNewer = known.withLock { known in
            guard known.vocabulary.revision < vocabulary.revision else { return false }
            known = (vocabulary, nil)
            return true
        }
        if isNewer { store.wakeFollowers() }
    }
}

/// Marks the time from the beginning of a change of the vocabulary until the new vocabulary is adopted. Meanwhile all reads
/// and changes use the vocabulary of their snapshot, because the change may be in it already. Releasing the mark ends this
/// time.
final class VocabularyMark: Sendable {
    private let core: DirectoryCore
    private let isSet = Atomic<Bool>(false)

    init(_ core: DirectoryCore, isSet: Bool = false) {
        self.core = core
        if isSet { set() }
    }

    func set() {
        guard !isSet.exchange(true, ordering: .sequentiallyConsistent) else { return }
        core.vocabularyChanges.add(1, ordering: .sequentiallyConsistent)
    }

    deinit {
        guard isSet.load(ordering: .sequentiallyConsistent) else { return }
        core.vocabularyChanges.subtract(1, ordering: .sequentiallyConsistent)
    }
}
