import Foundation
import Roster
import RosterAdministration
import RosterSignIn
import RosterText

/// The operations of the library over HTTP, for the client library: an operation as JSON comes in, its answer goes out. Nothing
/// of a value is lost, and each error comes back as itself.
enum DirectoryAPI {
    static let base = "/directory/v1"
    /// The field with which a client names a change that the client may send again.
    static let keyField = "Idempotency-Key"
    /// The field with which a client tells the revision of the vocabulary that the client knows.
    static let revisionField = "Vocabulary-Revision"

    static let operation = Endpoint(
        """
        Run an operation of the library, with the caller's rights. The client library sends them; their bodies are those of \
        its version. A change of the directory may have an Idempotency-Key: sent again with the same key, the change is not made twice.
        """,
        parameters: [
            .init(
                name: keyField, summary: "The client's name for a change: 16 to 64 letters, digits and hyphens.",
                schema: ["type": "string", "pattern": "^[A-Za-z0-9-]{16,64}$"], isHeader: true),
            .init(
                name: revisionField,
                summary:
                    "The revision of the vocabulary that the client knows. If the server has another one, it comes along.",
                schema: ["type": "integer", "minimum": 0], isHeader: true),
        ], body: .object, handler: run)

    private static func run(_ call: Call) throws -> Reply {
        let name = call.arguments[0]
        try call.checkIsJSON()
        if name == AwaitCommit.name {
            let question = try AwaitCommit(body: call.request.body)
            let revision = try revision(of: call)
            return .later {
                let commit = try await call.view.awaitCommit(question)
                let vocabulary = call.view.attributes.vocabulary()
                return .json(try WireAnswer.body(commit, vocabulary: vocabulary, knownRevision: revision))
            }
        }
        if let type = ServedOperations.readsByName[name] { return try read(type, call) }
        if let type = ServedOperations.changesByName[name] { return try change(type, call) }
        if let type = HandledOperations.byName[name] { return try administer(type, call) }
        throw RequestError(.notFound, "This version of the server has no operation '\(ShownText.plain(name))'.")
    }

    private static func read<Operation: ReadOperation>(_ type: Operation.Type, _ call: Call) throws -> Reply {
        let operation = try Operation(body: call.request.body)
        let revision = try revision(of: call)
        let answer: @Sendable (Transaction) throws -> HTTPResponse = { transaction in
            let transaction = transaction.forClient()
            let value = try operation.run(in: transaction)
            return .json(
                try WireAnswer.body(value, vocabulary: transaction.vocabulary, knownRevision: revision))
        }
        let isNarrow = Operation.isNarrow
        return operation.isBrief
            ? try call.lookingUp(isNarrow: isNarrow, answer) : call.reading(isNarrow: isNarrow, answer)
    }

    private static func change<Operation: ChangeOperation>(_ type: Operation.Type, _ call: Call) throws -> Reply {
        let change = try IdempotentChange<Operation>(
            body: call.request.body, key: try key(of: call), knownRevision: try revision(of: call))
        return .later { .json(try await call.view.change(change)) }
    }

    /// Runs an operation of the administration. Its answer can have a secret, which is not kept for a second request with the same key.
    private static func administer<Operation: HandledOperation>(_ type: Operation.Type, _ call: Call) throws -> Reply {
        let body = try call.json()
        let operation = try Operation(body: call.request.body)
        // A misspelled option would be passed over otherwise, and a wider change made.
        let known = Set(try JSONValue(parsing: Array(JSONEncoder().encode(operation))).members.map(\.name))
        if let unknown = body.members.first(where: { !known.contains($0.name) && !$0.value.isNull }) {
            throw RequestError(
                .badRequest, "The operation '\(Operation.name)' has no member \(EntityName.shown(unknown.name)).")
        }
        let revision = try revision(of: call)
        guard call.request.headers[keyField] == nil else {
            throw RequestError(
                .badRequest, "The operation '\(Operation.name)' takes no '\(keyField)'. Leave the field out.")
        }
        return .later {
            let answer = JSONAnswer(try await operation.run(in: call.administrationContext))
            return .json(
                try WireAnswer.body(
                    answer, vocabulary: call.view.attributes.vocabulary(), knownRevision: revision))
        }
    }

    private static func revision(of call: Call) throws -> Int64? {
        guard let text = call.request.headers[revisionField] else { return nil }
        guard let revision = Int64(text), revision >= 0 else {
            throw RequestError(.badRequest, "'\(revisionField)' takes a whole number.")
        }
        return revision
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
