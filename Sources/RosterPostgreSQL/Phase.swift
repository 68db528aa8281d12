/// The phase of a connection's transaction, from the beginning until the connection knows whether the server kept the transaction.
enum Phase: Equatable {
    /// No transaction is open.
    case outside
    /// A transaction reads. Each transaction begins in this phase.
    case reading(ReadProgress)
    /// A transaction changes the directory.
    case writing
    /// A transaction changes tables beside the directory.
    case besides
    /// The connection was lost while a transaction was committed, and it is not known whether that transaction was kept.
    ///
    /// - isOpen: Whether the transaction is open that finds out.
    case inDoubt(isOpen: Bool)
    /// No transaction is open. The last one was not kept, and can run again.
    case lost

    /// Whether no transaction is open.
    var isOutside: Bool {
        switch self {
        case .outside, .lost, .inDoubt(isOpen: false): true
        case .reading, .writing, .besides, .inDoubt(isOpen: true): false
        }
    }

    /// Whether a change of the directory is under way, or its outcome is not known.
    var isWriting: Bool {
        switch self {
        case .writing, .inDoubt: true
        case .outside, .reading, .besides, .lost: false
        }
    }

    /// The open read; nil if there is none.
    var read: ReadProgress? {
        get { if case .reading(let read) = self { read } else { nil } }
        set { if case .reading = self, let newValue { self = .reading(newValue) } }
    }

    /// Ends the open transaction: by a commit, by a rollback, or because the connection was lost.
    mutating func end() {
        switch self {
        case .outside, .reading, .writing, .besides: self = .outside
        case .inDoubt: self = .inDoubt(isOpen: false)
        case .lost: break
        }
    }

    /// Notes that a connection was lost during a commit.
    mutating func doubt() { self = .inDoubt(isOpen: false) }

    /// Opens the transaction that finds out what became of the one before.
    mutating func inquire() { self = .inDoubt(isOpen: true) }

    /// Notes what became of the transaction.
    ///
    /// - Parameter canRepeat: Whether a transaction that was not kept may run again.
    mutating func settle(isKept: Bool, canRepeat: Bool) { self = isKept || !canRepeat ? .outside : .lost }

    /// Whether the last transaction was lost, and is known not to have been kept.
    ///
    /// - Parameter isConnectionLost: Whether the connection was lost, for another reason than a pause.
    func hasLostTransaction(isConnectionLost: Bool) -> Bool {
        switch self {
        case .lost: true
        case .inDoubt: false
        case .outside, .reading, .writing, .besides: isConnectionLost
        }
    }
}

/// The progress of the open read of a connection.
///
/// The server can end the transaction of a read after its first trip, which saves the trip that would end it. A later statement then
/// begins another transaction, and the read counts only if nothing was committed in between.
struct ReadProgress: Equatable {
    /// The transactions of a read.
    enum Span: Equatable {
        /// The read has one transaction.
        case whole
        /// The transaction ends with the first trip.
        case firstTrip
        /// A second transaction has begun. The first one had this number of commits; nil if that was not read.
        case reopened(after: UInt64?)
    }

    /// The head: the number of commits and the revision in the read's snapshot.
    enum Head: Equatable {
        /// Nobody has asked, or the answer was read.
        case settled
        /// The server was asked, and its answer was not read. Somebody was told this revision; nil for nobody.
        case asked(assumedRevision: Int64?)
    }

    /// A reason why a read has to run again.
    enum Contradiction: Equatable {
        /// Something was committed between the transactions of the read.
        case commits
        /// The revision is another one than was told.
        case revision
    }

    private(set) var span = Span.whole
    private(set) var head = Head.settled

    init(endsWithFirstTrip: Bool = false) { if endsWithFirstTrip { span = .firstTrip } }

    /// Whether the head was asked for, and its answer was not read.
    var isHeadOpen: Bool { head != .settled }

    /// Notes that the head was asked for.
    mutating func askForHead() { head = .asked(assumedRevision: nil) }

    /// Returns the revision to tell callers before the head has come. Each call for one read returns the same revision.
    ///
    /// - Parameter known: The revision that another read has found; nil for none.
    mutating func assumeRevision(_ known: Int64?) -> Int64? {
        guard case .asked(let assumed) = head else { return known }
        head = .asked(assumedRevision: assumed ?? known)
        return assumed ?? known
    }

    /// Begins the second transaction of the read.
    ///
    /// - Parameter commits: The number of commits that the first one had.
    /// - Returns: False if the first one goes on.
    mutating func reopen(after commits: UInt64?) -> Bool {
        guard span == .firstTrip, !isHeadOpen else { return false }
        span = .reopened(after: commits)
        return true
    }

    /// Notes that the head has come.
    ///
    /// - Returns: The reason why the read has to run again; nil for none.
    mutating func settleHead(commits: UInt64, revision: Int64) -> Contradiction? {
        let asked = head
        head = .settled
        if case .reopened(after: let earlier?) = span, earlier != commits { return .commits }
        if case .asked(assumedRevision: let assumed?) = asked, assumed != revision { return .revision }
        return nil
    }
}
