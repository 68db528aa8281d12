import Testing

@testable import RosterPostgreSQL

@Suite("Pauses of a transaction on a server")
struct PauseWatchTests {
    private let start = ContinuousClock.now

    private func watch(pausedFor pause: Duration) -> PauseWatch {
        var watch = PauseWatch(at: start)
        watch.start(at: start)
        watch.beginPause(at: start + .seconds(5))
        watch.endPause(at: start + .seconds(5) + pause)
        return watch
    }

    @Test("Only a time without requests and answers is a pause, and only a long one counts")
    func pauses() {
        #expect(!watch(pausedFor: PauseWatch.longest).hasPaused)
        var long = watch(pausedFor: PauseWatch.longest + .milliseconds(1))
        #expect(long.hasPaused && !long.isLastPause)
        long.endPause(at: start + .seconds(9))
        #expect(long.hasPaused, "a pause counts until the transaction ends")
        long.start(at: start + .seconds(10))
        #expect(!long.hasPaused)
    }

    @Test("A transaction that is lost in a pause runs again once, and a commit lets the next one pause again")
    func again() {
        let long = PauseWatch.longest + .seconds(1)
        #expect(watch(pausedFor: .zero).afterLoss(at: start).mayPause, "a loss without a pause counts for nothing")
        var second = watch(pausedFor: long).afterLoss(at: start)
        #expect(!second.mayPause && !second.isLastPause)
        second.endPause(at: start + long)
        #expect(second.isLastPause)
        #expect(second.afterLoss(at: start).mayPause)
        second.commit()
        #expect(second.mayPause && !second.isLastPause)
    }
}
