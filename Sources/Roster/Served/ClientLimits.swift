/// Limits what an operation of a client may read and answer, so that a small request cannot fill the server's memory.
final class ClientLimits {
    /// The largest answer in bytes. A page of 10,000 users has about 10 MB.
    static let largestAnswer = 16 << 20
    /// The largest number of users or changes in one request.
    static let mostElements = 10_000

    /// The bytes of records that the operation may still read. A record can have values that the answer does not show.
    private var recordBytes = 64 << 20

    func count(recordBytes count: Int) throws {
        recordBytes -= count
        if recordBytes < 0 { throw Self.exceeded }
    }

    /// The bytes of records that the answer may still have.
    private var answerBytes = largestAnswer

    func count(answerBytes count: Int) throws {
        answerBytes -= count
        if answerBytes < 0 { throw Self.exceeded }
    }

    static let exceeded = DirectoryError(
        .limitExceeded,
        "The answer would have more than \(largestAnswer >> 20) MiB, or need more than 64 MiB of records.",
        advice: "Ask for less at a time: smaller pages, fewer users or fewer changes.")
}

extension Transaction {
    /// The transaction for an operation that a client has sent.
    package func forClient() -> Transaction {
        let transaction = Transaction(self)
        transaction.clientLimits = ClientLimits()
        return transaction
    }

    /// Refuses a client's operation with too many users or changes.
    func checkCount(_ count: Int) throws {
        guard clientLimits == nil || count <= ClientLimits.mostElements else {
            throw DirectoryError(
                .limitExceeded, "A server takes at most \(ClientLimits.mostElements) users or changes in one request.",
                advice: "Send several requests.")
        }
    }
}
