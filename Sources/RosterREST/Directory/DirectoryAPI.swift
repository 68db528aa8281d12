import Roster
import RosterText

/// The operations of the library over HTTP, for the client library: an operation as JSON comes in, its answer goes out. Nothing
/// of a value is lost, and each error comes back as itself.
enum DirectoryAPI {
    static let base = "/directory/v1"
    /// The field with which a client names a change that the client may send again.
    static let keyField = "Idempotency-Key"

    static let operation = Endpoint(
        """
        Run an operation of the library, with the caller's rights. The client library sends them; their bodies are those of \
        its version. A change may have an Idempotency-Key: sent again with the same key, the change is not made twice.
        """,
        parameters: [
            .init(
                name: keyField, summary: "The client's name for a change: 16 to 64 letters, digits and hyphens.",
                schema: ["type": "string", "pattern": "^[A-Za-z0-9-]{16,64}$"], isHeader: true)
        ], body: .object, handler: run)

    private static func run(_ call: Call) throws -> Reply {
        let name = call.arguments[0]
        try call.checkIsJSON()
        if name == AwaitCommit.name {
            let question = try AwaitCommit(body: call.request.body)
            return .later {
                let commit = try await call.view.awaitCommit(question)
                return .json(WireAnswer.body(commit, vocabulary: call.view.attributes.vocabulary()))
            }
        }
        if let type = ServedOperations.readsByName[name] { return try read(type, call) }
        if let type = ServedOperations.changesByName[name] { return try change(type, call) }
        throw RequestError(.notFound, "This version of the server has no operation '\(ShownText.plain(name))'.")
    }

    private static func read<Operation: ReadOperation>(_ type: Operation.Type, _ call: Call) throws -> Reply {
        let operation = try Operation(body: call.request.body)
        let answer: @Sendable (Transaction) throws -> HTTPResponse = { transaction in
            .json(WireAnswer.body(try operation.run(in: transaction), vocabulary: transaction.vocabulary))
        }
        return operation.isBrief ? try call.lookingUp(answer) : call.reading(answer)
    }

    private static func change<Operation: ChangeOperation>(_ type: Operation.Type, _ call: Call) throws -> Reply {
        let change = try KeyedChange<Operation>(body: call.request.body, key: try key(of: call))
        return .later { .json(try await call.view.change(change).bytes) }
    }

    private static func key(of call: Call) throws -> String? {
        guard let key = call.request.headers[keyField] else { return nil }
        let isKey = key.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isKey, (16...64).contains(key.utf8.count) else {
            throw RequestError(.badRequest, "'\(keyField)' takes 16 to 64 letters, digits and hyphens.")
        }
        return key
    }
}
