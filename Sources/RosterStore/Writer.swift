internal import CSQLite
package import Dispatch
import Foundation
import Synchronization
import RosterText

/// Writes all changes *and* checkpoints, through one connection on one queue.
///
/// SQLite 3.7.0 to 3.51.2 can corrupt a file if two connections write or checkpoint at the same time, so no other
/// connection does either. Jobs that arrive during a commit share the next one.
package final class Writer: Sendable {
    private struct State {
        var jobs: [WriteJob] = []
        var maintenance: [Maintenance] = []
        var isScheduled = false
        var isClosed = false
        /// The number of jobs in the last commit.
        var lastBatch = 0
        /// Whether jobs that arrive while a commit is prepared become a part of the commit.
        var takesArrived = false
    }

    /// The largest number of jobs in a commit.
    package static let maximumBatch = 256
    /// The largest number of one user's jobs in a commit, so that other users wait for no more of them.
    package static let maximumBatchOfUser = 2
    /// The largest number of waiting jobs. Further jobs are refused as `overloaded`.
    package static let maximumWaiting = 100_000
    /// How long a truncating checkpoint waits for readers, in milliseconds. Every change waits as long.
    package static let checkpointWait: Int32 = 250
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "roster.writer")
    private let withConnection: @Sendable ((Connection) -> Void) -> Bool
    private let check: @Sendable () throws -> Void
    private let willCommit: @Sendable () -> Void
    private let didCommit: @Sendable (_ isCommitted: Bool) -> Void
    private let aroundCheckpoint: @Sendable (() -> Void) -> Void
    private let didClose: @Sendable () -> Void
    private let logPages = LogPages()

    /// - Parameters:
    ///   - withConnection: Lends the writing connection; returns false if the store is closed. (A store in memory has
    ///     one connection for everything.)
    ///   - check: Called before each commit; throws if the file was replaced since it was opened.
    ///   - willCommit: Called before each commit.
    ///   - didCommit: Called after each commit before its callers are told, and after a failed one, which kept nothing.
    ///   - aroundCheckpoint: Runs each checkpoint.
    ///   - didClose: Called when the connection is no longer needed.
    package init(
        withConnection: @escaping @Sendable ((Connection) -> Void) -> Bool,
        check: @escaping @Sendable () throws -> Void,
        willCommit: @escaping @Sendable () -> Void, didCommit: @escaping @Sendable (_ isCommitted: Bool) -> Void,
        aroundCheckpoint: @escaping @Sendable (() -> Void) -> Void,
        didClose: @escaping @Sendable () -> Void
    ) {
        self.withConnection = withConnection
        self.check = check
        self.willCommit = willCommit
        self.didCommit = didCommit
        self.aroundCheckpoint = aroundCheckpoint
        self.didClose = didClose
        _ = withConnection { if let engine = $0.engine as? SQLiteEngine { logPages.watch(engine) } }
    }

    /// Adds a job to the queue.
    ///
    /// - Parameter mayBlock: Whether the job may run on the caller's thread, which saves two switches of threads. The job does so
    ///   if no other is waiting, and the last commit had one job: several callers share commits better on the writer's queue.
    package func submit(_ job: WriteJob, mayBlock: Bool = false) {
        enum Step {
            case runHere
            case schedule
            case wait
            case refuse(any Error)
        }
        let step = state.withLock { state -> Step in
            if state.isClosed { return .refuse(ReaderPool.closed) }
            guard state.jobs.count < Self.maximumWaiting else {
                return .refuse(
                    StoreError(
                        .overloaded, "\(state.jobs.count) changes are already waiting.",
                        advice: "Try again later."))
            }
            if job.cancellation.isCancelled { return .refuse(CancellationError()) }
            state.jobs.append(job)
            defer { state.isScheduled = true }
            if state.isScheduled { return .wait }
            return mayBlock && state.lastBatch <= 1 ? .runHere : .schedule
        }
        switch step {
        case .wait: break
        case .runHere:
            if queue.sync(execute: { writeBatch() }) { queue.async { [self] in drain() } }
        case .schedule: queue.async { [self] in drain() }
        case .refuse(let error): job.finish(error)
        }
    }

    /// How long ``close(waits:)`` waits for a change that does not end, for example in an app's callback.
    package static let closingWait = DispatchTimeInterval.seconds(10)

    /// Fails waiting changes with `closed`, lets the running one end, checkpoints, and refuses later jobs.
    ///
    /// - Parameter waits: Whether to wait for the end. The last reference can be released on the writer's own queue,
    ///   which cannot wait for itself.
    package func close(waits: Bool) {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { (state.jobs, state.maintenance) = ([], []) }
            return (jobs: state.jobs, maintenance: state.maintenance)
        }
        for job in waiting.jobs { job.finish(ReaderPool.closed) }
        for maintenance in waiting.maintenance { maintenance.finish(ReaderPool.closed) }
        let isDone = DispatchSemaphore(value: 0)
        queue.async { [self] in
            checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
            didClose()
            isDone.signal()
        }
        if waits { _ = isDone.wait(timeout: .now() + Self.closingWait) }
    }

    /// Calls `body` with the writing connection while no change is made.
    func withIdleConnection(_ body: @Sendable (Connection) -> Void) {
        queue.sync { _ = withConnection(body) }
    }

    /// Runs maintenance between commits.
    func maintain(_ maintenance: Maintenance) {
        enum Start { case refused, waiting, schedule }
        let start = state.withLock { state -> Start in
            if state.isClosed { return .refused }
            state.maintenance.append(maintenance)
            defer { state.isScheduled = true }
            return state.isScheduled ? .waiting : .schedule
        }
        switch start {
        case .refused: maintenance.finish(ReaderPool.closed)
        case .waiting: break
        case .schedule: queue.async { [self] in drain() }
        }
    }

    /// Runs a step of the first maintenance, if there is any.
    private func takeMaintenanceStep() {
        guard let maintenance = state.withLock({ $0.maintenance.isEmpty ? nil : $0.maintenance.removeFirst() }) else {
            return
        }
        var result: Result<Maintenance.Rest, any Error> = .failure(ReaderPool.closed)
        _ = withConnection { connection in
            result = Result {
                try check()
                return try maintenance.step(connection) { checkpoint in aroundCheckpoint(checkpoint) }
            }
        }
        logPages.didCheckpoint()
        switch result {
        case .failure(let error): maintenance.finish(error)
        case .success(.nothing): maintenance.finish(nil)
        case .success(.further): maintain(maintenance)
        case .success(.later(let pause)): queue.asyncAfter(deadline: .now() + pause) { [self] in maintain(maintenance) }
        }
    }

    private func drain() {
        while writeBatch() {}
    }

    /// Commits the next jobs.
    ///
    /// - Returns: Whether further jobs may be waiting.
    private func writeBatch() -> Bool {
        var batch = WriteBatch()
        let jobs = state.withLock { state -> [WriteJob] in
            let jobs = batch.take(from: &state.jobs)
            if !jobs.isEmpty {
                state.takesArrived = state.lastBatch > 1
                state.lastBatch = jobs.count
            }
            return jobs
        }
        defer { takeMaintenanceStep() }
        if jobs.isEmpty { return isMoreWaiting() }
        guard withConnection({ commit(jobs, of: &batch, on: $0) }) else {
            for job in jobs { job.finish(ReaderPool.closed) }
            return true
        }
        if logPages.isCheckpointDue {
            // A log as large as after a bulk load slows down every read, so that waiting for readers to truncate it is
            // worthwhile.
            checkpoint(logPages.isVast ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE)
        }
        return isMoreWaiting()
    }

    /// Whether jobs or maintenance wait. If none do, the next one schedules the writer again.
    private func isMoreWaiting() -> Bool {
        state.withLock { state in
            state.isScheduled = !state.jobs.isEmpty || !state.maintenance.isEmpty
            return state.isScheduled
        }
    }

    /// How often the jobs of a transaction run again after the server was lost.
    private static let repeatsAfterLoss = 10

    /// Removes the jobs that arrived while a transaction runs from the queue, and returns the jobs for the same transaction, so that they
    /// need no commit of their own. Returns none unless the last commit had several jobs, because a lone change must not wait for a
    /// long change that came later. Returns none on a database server: the server gets all jobs at the beginning, and answers the
    /// expected reads of the jobs in one round trip.
    private func takeArrived(_ batch: inout WriteBatch, on connection: Connection) -> [WriteJob] {
        guard connection.kind == .sqlite else { return [] }
        return state.withLock { state in
            guard state.takesArrived else { return [] }
            let jobs = batch.takeMore(from: &state.jobs)
            state.lastBatch += jobs.count
            return jobs
        }
    }

    private func commit(_ first: [WriteJob], of batch: inout WriteBatch, on connection: Connection) {
        var jobs = first
        var losses = 0
        // Most batches have no job that fails, so that savepoints come only after a failure.
        var hasSavepoints = false
        while !jobs.isEmpty {
            do {
                try connection.engine.beginWriting(expecting: jobs.flatMap(\.reads), on: connection)
            } catch {
                for job in jobs { job.finish(error) }
                return
            }
            let (kept, mustRepeat) = run(
                jobs, of: &batch, on: connection, mayLose: losses < Self.repeatsAfterLoss,
                hasSavepoints: &hasSavepoints)
            jobs = kept
            if connection.engine.hasLostTransaction { losses += 1 }
            if mustRepeat { continue }
            let cancelled = jobs.map { !$0.cancellation.endCancellability() }
            if cancelled.contains(true) {
                rollBack(connection)
                for (job, isCancelled) in zip(jobs, cancelled) where isCancelled { job.finish(CancellationError()) }
                jobs = zip(jobs, cancelled).filter { !$1 }.map(\.0)
                continue
            }
            do {
                try check()
            } catch {
                rollBack(connection)
                for job in jobs { job.finish(error) }
                return
            }
            willCommit()
            do {
                try connection.run(StoreStatements.commit)
                didCommit(true)
                for job in jobs { job.finish(nil) }
            } catch {
                let wasLost = connection.engine.hasLostTransaction
                rollBack(connection)
                didCommit(false)
                if wasLost, losses < Self.repeatsAfterLoss {
                    losses += 1
                    continue
                }
                if connection.engine.reportsLate, jobs.count > 1, !hasSavepoints,
                    (error as? StoreError)?.kind != .outcomeUnknown
                {
                    hasSavepoints = true
                    continue
                }
                for job in jobs { job.finish(error) }
            }
            return
        }
    }

    /// Runs each job, and the jobs that arrive meanwhile. A failed job is reported and leaves no trace.
    ///
    /// - Parameters:
    ///   - mayLose: Whether a job runs again if the server was lost meanwhile.
    ///   - hasSavepoints: Whether each job runs in its own savepoint. Becomes true after a failure that only savepoints confine to
    ///     one job.
    /// - Returns: The successful jobs, and whether they must run again because the whole transaction was rolled back: after a
    ///   failure without savepoints, after an interrupt, on a full disk, or because the server was lost.
    private func run(
        _ first: [WriteJob], of batch: inout WriteBatch, on connection: Connection, mayLose: Bool,
        hasSavepoints: inout Bool
    ) -> (kept: [WriteJob], mustRepeat: Bool) {
        var jobs = first
        var kept: [WriteJob] = []
        var index = 0
        while true {
            if index == jobs.count { jobs += takeArrived(&batch, on: connection) }
            guard index < jobs.count else { return (kept, false) }
            let job = jobs[index]
            defer { index += 1 }
            // A single job needs no savepoint.
            let isAlone = jobs.count == 1
            let usesSavepoints = hasSavepoints && !isAlone
            do {
                if usesSavepoints { try connection.run(StoreStatements.openSavepoint, changing: .none) }
                try job.cancellation.run(on: connection)
                defer {
                    job.cancellation.pause(on: connection)
                    connection.stepsLeft = nil
                }
                try job.body(connection)
                if usesSavepoints { try connection.run(StoreStatements.releaseSavepoint, changing: .none) }
                kept.append(job)
            } catch {
                if mayLose, connection.engine.hasLostTransaction, !job.cancellation.isCancelled {
                    rollBack(connection)
                    return (kept + jobs[index...], true)
                }
                if connection.engine.reportsLate, !isAlone, !usesSavepoints {
                    // The error can belong to an earlier job.
                    hasSavepoints = true
                    rollBack(connection)
                    return (kept + jobs[index...], true)
                }
                job.finish(error)
                if !usesSavepoints || connection.engine.isOutsideTransaction || !undo(on: connection) {
                    hasSavepoints = true
                    rollBack(connection)
                    return (kept + jobs[(index + 1)...], true)
                }
            }
        }
    }

    private func undo(on connection: Connection) -> Bool {
        do {
            try connection.run(StoreStatements.returnToSavepoint)
            try connection.run(StoreStatements.releaseSavepoint)
            return true
        } catch {
            return false
        }
    }

    /// Rolls back without cancellation. Does nothing if no transaction is open.
    private func rollBack(_ connection: Connection) {
        guard !connection.engine.isOutsideTransaction else { return }
        try? connection.run(StoreStatements.rollback)
        guard !connection.engine.isOutsideTransaction else { return }
        // The interrupt of a cancelled job can still be in force, because the text index keeps a statement open, and then
        // stops the rollback as well. SQLite rolls back by itself where an interrupt stops a statement that writes.
        try? connection.run(StoreStatements.beginWriting)
        guard !connection.engine.isOutsideTransaction else { return }
        try? connection.run(StoreStatements.rollback)
    }

    private func checkpoint(_ mode: Int32, waiting milliseconds: Int32 = Writer.checkpointWait) {
        _ = withConnection { connection in
            guard let engine = connection.engine as? SQLiteEngine else { return }
            engine.waitForLocks(milliseconds: milliseconds)
            // The result does not matter. Retrying at each commit because of a busy reader would delay every change.
            aroundCheckpoint { _ = sqlite3_wal_checkpoint_v2(engine.handle, "main", mode, nil, nil) }
            logPages.didCheckpoint()
            engine.waitForLocks()
            try? engine.mapGrownFile(of: connection)
        }
    }
}
