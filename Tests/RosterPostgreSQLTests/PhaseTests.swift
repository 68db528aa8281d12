import Testing

@testable import RosterPostgreSQL

@Suite("The phases of a transaction on a server")
struct PhaseTests {
    private static let open: [Phase] = [.reading(ReadProgress()), .writing, .besides, .inDoubt(isOpen: true)]
    private static let closed: [Phase] = [.outside, .inDoubt(isOpen: false), .lost]

    @Test("A transaction is open until it ends, and then no transaction is open")
    func ends() {
        #expect(Self.open.allSatisfy { !$0.isOutside })
        #expect(Self.closed.allSatisfy { $0.isOutside })
        for var phase in Self.open + Self.closed {
            phase.end()
            #expect(phase.isOutside)
        }
    }

    @Test("A transaction that was lost before its commit can run again, whatever it did")
    func losesBeforeCommit() {
        for phase in [.outside, .reading(ReadProgress()), .writing, .besides] as [Phase] {
            #expect(phase.hasLostTransaction(isConnectionLost: true))
            #expect(!phase.hasLostTransaction(isConnectionLost: false))
        }
    }

    @Test(
        "A transaction whose commit was lost does not run again while its outcome is unknown, even after a rollback and another loss"
    )
    func doubts() {
        var phase = Phase.writing
        phase.doubt()
        #expect(phase.isOutside && phase.isWriting)
        phase.inquire()
        #expect(!phase.isOutside && phase.isWriting)
        phase.end()
        phase.end()
        #expect(phase == .inDoubt(isOpen: false))
        #expect(!phase.hasLostTransaction(isConnectionLost: true))
    }

    @Test("A commit that was in doubt runs again only if it was not kept, and was not lost in a pause")
    func settles() {
        for (isKept, canRepeat, isLost) in [
            (true, true, false), (true, false, false), (false, false, false), (false, true, true),
        ] {
            var phase = Phase.inDoubt(isOpen: true)
            phase.settle(isKept: isKept, canRepeat: canRepeat)
            #expect(phase.isOutside && !phase.isWriting)
            #expect(phase.hasLostTransaction(isConnectionLost: false) == isLost)
            // The writer rolls back before it asks the last time.
            phase.end()
            #expect(phase.hasLostTransaction(isConnectionLost: false) == isLost)
        }
    }

    @Test("Only a transaction that reads has the progress of a read")
    func hasNoReadElsewhere() {
        for var phase in Self.open.dropFirst() + Self.closed {
            let before = phase
            phase.read?.askForHead()
            phase.read = ReadProgress(endsWithFirstTrip: true)
            #expect(phase == before && phase.read == nil)
        }
        var phase = Phase.reading(ReadProgress())
        phase.read?.askForHead()
        #expect(phase.read?.isHeadOpen == true)
    }
}

@Suite("The progress of a read on a server")
struct ReadProgressTests {
    @Test(
        "A read of one transaction is never reopened; one that ends with its first trip is reopened once, when its head has come"
    )
    func reopens() {
        var whole = ReadProgress()
        let isWholeReopened = whole.reopen(after: 7)
        #expect(!isWholeReopened)
        var read = ReadProgress(endsWithFirstTrip: true)
        read.askForHead()
        let isReopenedEarly = read.reopen(after: nil)
        let contradiction = read.settleHead(commits: 7, revision: 1)
        let (isReopened, isReopenedTwice) = (read.reopen(after: 7), read.reopen(after: 7))
        #expect(contradiction == nil)
        #expect(!isReopenedEarly && isReopened && !isReopenedTwice)
    }

    @Test("A reopened read runs again if something was committed in between", arguments: [UInt64(7), 8])
    func noticesCommits(_ commits: UInt64) {
        var read = ReadProgress(endsWithFirstTrip: true)
        let isReopened = read.reopen(after: 7)
        read.askForHead()
        let contradiction = read.settleHead(commits: commits, revision: 1)
        #expect(isReopened && contradiction == (commits == 7 ? nil : .commits))
        #expect(!read.isHeadOpen)
    }

    @Test("A read that was told another revision than there is runs again; one that was told none does not")
    func noticesRevision() {
        for (known, found, contradiction) in [
            (3, 3, nil), (3, 4, .revision), (nil, 4, nil),
        ] as [(Int64?, Int64, ReadProgress.Contradiction?)] {
            var read = ReadProgress()
            read.askForHead()
            let told = read.assumeRevision(known)
            let found = read.settleHead(commits: 1, revision: found)
            #expect(told == known)
            #expect(found == contradiction)
        }
    }

    @Test("A read is told the same revision each time, also if another read finds a newer one meanwhile")
    func assumesOnce() {
        var read = ReadProgress()
        read.askForHead()
        let told = [read.assumeRevision(3), read.assumeRevision(4)]
        let contradiction = read.settleHead(commits: 1, revision: 4)
        #expect(told == [3, 3])
        #expect(contradiction == .revision)
    }
}
