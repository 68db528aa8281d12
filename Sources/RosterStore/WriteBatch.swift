/// A change to write. Its body can run more than once: if another job ends the shared transaction, the remaining jobs
/// run again.
package struct WriteJob: Sendable {
    /// The requester; nil for the store itself.
    package let requester: Requester?
    /// The reads that ``body`` is expected to make before its first change.
    package var reads: [ExpectedRead] = []
    /// Whether the job takes long and shares a commit with no other, so that others wait for nothing that came after them.
    package var isLong = false
    package let body: @Sendable (Connection) throws -> Void
    package let cancellation: Cancellation
    /// Called exactly once, after the commit or the failure.
    package let finish: @Sendable ((any Error)?) -> Void
}

/// The jobs that share a commit.
package struct WriteBatch {
    private var count = 0
    private var counts: [Requester: Int] = [:]
    /// Whether the last call of ``take(from:)`` left jobs in the queue, or took a long one.
    private var isClosed = false

    package init() {}

    /// Removes the next jobs from the queue, in order, and returns the jobs. A user's jobs beyond the user's share of a commit stay in the
    /// queue, and so do the jobs around a long one.
    package mutating func take(from jobs: inout [WriteJob]) -> [WriteJob] {
        var taken: [WriteJob] = []
        var left: [WriteJob] = []
        var end = jobs.startIndex
        while end < jobs.endIndex, count < Writer.maximumBatch {
            let job = jobs[end]
            if job.isLong, count > 0 { break }
            end += 1
            if let requester = job.requester, requester.isLimited {
                let count = counts[requester, default: 0]
                counts[requester] = count + 1
                guard count < Writer.maximumBatchOfUser else {
                    left.append(job)
                    continue
                }
            }
            taken.append(job)
            count += 1
            if job.isLong { break }
        }
        jobs.replaceSubrange(..<end, with: left)
        isClosed = !jobs.isEmpty || taken.last?.isLong == true
        return taken
    }

    /// Removes the jobs that arrived after the last call from the queue, and returns the jobs. Returns none if the last call took a long
    /// job, or left jobs in the queue, because each further call would look at those jobs again.
    package mutating func takeMore(from jobs: inout [WriteJob]) -> [WriteJob] {
        isClosed || jobs.isEmpty ? [] : take(from: &jobs)
    }
}
