/// The callers who wait for a reader, in the order in which they get one: look-ups first, then the requesters of searches in turns.
struct ReaderLine {
    struct Waiter: Sendable {
        let number: UInt64
        let purpose: ReaderPool.Purpose
        /// The reads that the look-up is expected to make. A look-up with this list can share a connection and a round trip with other
        /// look-ups. The list is nil for a caller who needs the connection alone.
        let sharedReads: [ExpectedRead]?
        /// Whether the caller blocks its own thread while it waits. The closure `receive` only wakes that thread then.
        let blocksOwnThread: Bool
        let receive: @Sendable (Result<Connection, any Error>) -> Void
    }
    /// The searches of one requester.
    private struct Lane {
        var running = 0
        var waiting: [Waiter] = []
    }

    /// The largest number of look-ups that share a round trip.
    static let maximumShared = 16

    private let maximumSearches: Int
    private let maximumSharing: Int
    private var lookUps: [Waiter] = []
    private var lanes: [Requester?: Lane] = [:]
    /// The requesters with waiting searches, in the order of their turns.
    private var turns: [Requester?] = []
    private var searching = 0
    /// The number of connections on which look-ups share round trips.
    private var sharing = 0
    /// The number of waiting searches of limited requesters.
    private(set) var waitingOfUsers = 0

    /// - Parameters:
    ///   - maximumSearches: The largest number of concurrent searches.
    ///   - maximumSharing: The largest number of connections on which look-ups share round trips.
    init(maximumSearches: Int, maximumSharing: Int) {
        (self.maximumSearches, self.maximumSharing) = (maximumSearches, maximumSharing)
    }

    /// Whether nobody waits.
    var isEmpty: Bool { lookUps.isEmpty && turns.isEmpty }

    /// The number of waiting callers with this purpose.
    func count(of purpose: ReaderPool.Purpose) -> Int {
        guard case .search(let requester) = purpose else { return lookUps.count }
        return lanes[requester]?.waiting.count ?? 0
    }

    mutating func add(_ waiter: Waiter) {
        guard case .search(let requester) = waiter.purpose else { return lookUps.append(waiter) }
        var lane = lanes[requester] ?? Lane()
        if lane.waiting.isEmpty { turns.append(requester) }
        lane.waiting.append(waiter)
        lanes[requester] = lane
        if requester.isLimited { waitingOfUsers += 1 }
    }

    /// Removes the callers who get the next connection: one caller, or look-ups that share the connection. Returns none if nobody
    /// may have a connection now.
    mutating func next() -> [Waiter] {
        if let lookUp = lookUps.firstIndex(where: { $0.sharedReads == nil || sharing < maximumSharing }) {
            guard lookUps[lookUp].sharedReads != nil else { return [lookUps.remove(at: lookUp)] }
            let group = lookUps[lookUp...].prefix(Self.maximumShared).prefix { $0.sharedReads != nil }
            lookUps.removeSubrange(group.indices)
            sharing += 1
            return Array(group)
        }
        return nextSearch().map { [$0] } ?? []
    }

    private mutating func nextSearch() -> Waiter? {
        guard let turn = turns.firstIndex(where: { maySearch($0) }) else { return nil }
        let requester = turns.remove(at: turn)
        guard var lane = lanes[requester], !lane.waiting.isEmpty else { return nil }
        let waiter = lane.waiting.removeFirst()
        if !lane.waiting.isEmpty { turns.append(requester) }
        lanes[requester] = lane
        if requester.isLimited { waitingOfUsers -= 1 }
        beginSearch(of: requester)
        return waiter
    }

    /// Whether another search of the requester may run now.
    func maySearch(_ requester: Requester?) -> Bool {
        searching < maximumSearches && (lanes[requester]?.running ?? 0) < runningLimit(of: requester)
    }

    private func runningLimit(of requester: Requester?) -> Int {
        guard requester != nil else { return maximumSearches }
        let others = max(1, maximumSearches - 1)
        return requester.isLimited ? min(others, ReaderPool.maximumSearchesOfRequester) : others
    }

    mutating func beginSearch(of requester: Requester?) {
        searching += 1
        lanes[requester, default: Lane()].running += 1
    }

    /// Counts a connection as unused, after the callers with this purpose have used the connection.
    mutating func end(_ purpose: ReaderPool.Purpose, isShared: Bool) {
        if isShared { sharing -= 1 }
        guard case .search(let requester) = purpose, var lane = lanes[requester] else { return }
        searching -= 1
        lane.running -= 1
        lanes[requester] = lane.running == 0 && lane.waiting.isEmpty ? nil : lane
    }

    /// Removes the caller with this number from the line. Returns nil if no caller with this number waits.
    mutating func remove(_ number: UInt64) -> Waiter? {
        if let index = lookUps.firstIndex(where: { $0.number == number }) { return lookUps.remove(at: index) }
        for (turn, requester) in turns.enumerated() {
            guard var lane = lanes[requester], let index = lane.waiting.firstIndex(where: { $0.number == number })
            else {
                continue
            }
            let waiter = lane.waiting.remove(at: index)
            if lane.waiting.isEmpty { turns.remove(at: turn) }
            lanes[requester] = lane.running == 0 && lane.waiting.isEmpty ? nil : lane
            if requester.isLimited { waitingOfUsers -= 1 }
            return waiter
        }
        return nil
    }

    /// Removes all callers from the line, and returns them.
    mutating func removeAll() -> [Waiter] {
        let waiters = lookUps + turns.flatMap { lanes[$0]?.waiting ?? [] }
        lookUps.removeAll()
        for requester in turns { lanes[requester]?.waiting.removeAll() }
        turns.removeAll()
        waitingOfUsers = 0
        return waiters
    }
}

extension Requester? {
    /// Whether the limits for users hold.
    fileprivate var isLimited: Bool { self?.isLimited == true }
}
