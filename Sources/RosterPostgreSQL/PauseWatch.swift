/// Watches for how long a transaction has sent nothing, because a database server ends the connection of a long pause.
struct PauseWatch: Equatable {
    /// For how long a transaction may send nothing. The function `wait_for_turn` of the database ends the connection after three seconds
    /// if another server waits for the end of the transaction; the last answer was under way for a part of them.
    static let longest = Duration.milliseconds(2_500)

    /// Whether the transaction has sent nothing for that long.
    private(set) var hasPaused = false
    /// Whether the work of a transaction that is lost in a pause runs again.
    private(set) var mayPause = true
    /// The time of the last request or answer.
    private var lastUse: ContinuousClock.Instant

    init(at now: ContinuousClock.Instant = .now) { lastUse = now }

    /// Whether a transaction that is lost now is lost by a pause, and does not run again.
    var isLastPause: Bool { hasPaused && !mayPause }

    /// Begins to watch a transaction.
    mutating func start(at now: ContinuousClock.Instant = .now) { (hasPaused, lastUse) = (false, now) }

    /// Notes the last request or answer before a pause.
    mutating func beginPause(at now: ContinuousClock.Instant = .now) { lastUse = now }

    /// Ends a pause, during which the caller has worked.
    mutating func endPause(at now: ContinuousClock.Instant = .now) {
        if now - lastUse > Self.longest { hasPaused = true }
        lastUse = now
    }

    /// The watch of the connection that takes the place of a lost one: a transaction that runs again may not pause once more.
    func afterLoss(at now: ContinuousClock.Instant = .now) -> PauseWatch {
        var watch = PauseWatch(at: now)
        watch.mayPause = !hasPaused || !mayPause
        return watch
    }

    /// Notes that the transaction was committed, so that the next one may pause.
    mutating func commit() { mayPause = true }
}
