import Roster
import RosterText

/// A bulk request (RFC 7644, section 3.7). Its operations, in any order, can refer to resources that others of them
/// create.
struct SCIMBulk: Sendable {
    static let maximumOperations = 1_000
    static let maximumBytes = 1_048_576
    private static let request = "urn:ietf:params:scim:api:messages:2.0:BulkRequest"
    private static let response = "urn:ietf:params:scim:api:messages:2.0:BulkResponse"

    private struct Operation: Sendable {
        let method: String
        let path: String
        let bulkID: String?
        let version: String?
        let data: JSONValue
        /// The identifiers of the other operations that must come before this operation.
        let needs: Set<String>
    }

    private let operations: [Operation]
    private let failOnErrors: Int?

    init(_ body: JSONValue) throws {
        guard body.member("schemas")?.elements.contains(where: { $0.text == Self.request }) ?? false else {
            throw SCIMError(.invalidSyntax, "'schemas' does not have '\(Self.request)'.")
        }
        guard case .array(let operations)? = body.member("Operations") else {
            throw SCIMError(.invalidSyntax, "'Operations' is not an array.")
        }
        guard operations.count <= Self.maximumOperations else {
            throw SCIMError(.tooMany, "There are more than \(Self.maximumOperations) operations.", status: 413)
        }
        try SCIMName.checkMisspelled(body.members, of: ["schemas", "Operations", "failOnErrors"])
        switch body.member("failOnErrors") {
        case nil, .null?: failOnErrors = nil
        case let value?:
            guard let number = value.wholeNumber, number > 0 else {
                throw SCIMError(.invalidValue, "'failOnErrors' is a whole number from 1 up.")
            }
            failOnErrors = number
        }
        self.operations = try operations.map { try Self.operation($0) }
        let names = self.operations.compactMap(\.bulkID)
        guard Set(names).count == names.count else {
            throw SCIMError(.invalidValue, "Two operations have the same 'bulkId'.")
        }
    }

    private static func operation(_ json: JSONValue) throws -> Operation {
        try SCIMName.checkMisspelled(json.members, of: ["method", "path", "bulkId", "version", "data"])
        guard let method = json.member("method")?.text?.uppercased(),
            ["POST", "PUT", "PATCH", "DELETE"].contains(method)
        else { throw SCIMError(.invalidSyntax, "The 'method' of an operation is POST, PUT, PATCH or DELETE.") }
        guard let path = json.member("path")?.text, path.hasPrefix("/") else {
            throw SCIMError(.invalidSyntax, "An operation needs a 'path' such as /Users.")
        }
        for name in ["bulkId", "version"] {
            guard let value = json.member(name), value.text == nil, name == "bulkId" || !value.isNull else { continue }
            throw SCIMError(.invalidSyntax, "The '\(name)' of an operation is text.")
        }
        let bulkID = json.member("bulkId")?.text
        if method == "POST", bulkID == nil {
            throw SCIMError(.invalidSyntax, "An operation that creates needs a 'bulkId'.")
        }
        let data = json.member("data") ?? .null
        if method != "DELETE" {
            guard case .object = data else { throw SCIMError(.invalidSyntax, "An operation needs 'data', an object.") }
        }
        var needs: Set<String> = []
        collect(data, into: &needs)
        for segment in path.split(separator: "/") {
            if let name = reference(segment) { needs.insert(name) }
        }
        return Operation(
            method: method, path: path, bulkID: bulkID, version: json.member("version")?.text, data: data, needs: needs)
    }

    private static func reference(_ text: some StringProtocol) -> String? {
        text.hasPrefix("bulkId:") ? String(text.dropFirst(7)) : nil
    }

    private static func collect(_ value: JSONValue, into names: inout Set<String>) {
        switch value {
        case .string(let text): if let name = reference(text) { names.insert(name) }
        case .array(let elements): for element in elements { collect(element, into: &names) }
        case .object(let members): for member in members { collect(member.value, into: &names) }
        default: break
        }
    }

    private static func replaced(_ value: JSONValue, _ ids: [String: String]) -> JSONValue {
        switch value {
        case .string(let text): return reference(text).flatMap { ids[$0] }.map { .string($0) } ?? value
        case .array(let elements): return .array(elements.map { replaced($0, ids) })
        case .object(let members): return .object(members.map { .init($0.name, replaced($0.value, ids)) })
        default: return value
        }
    }

    // MARK: Carrying out

    /// Carries out the operations one by one, each in its own transaction. If the request ends early, the changes of
    /// the operations before stay.
    ///
    /// - Returns: The response, with a result for each operation that was carried out, in the order of the request.
    func run(_ call: Call) async throws -> JSONValue {
        var results: [Int: JSONValue] = [:]
        var ids: [String: String] = [:]
        var failures = 0
        var waiting = Array(operations.indices)
        while !waiting.isEmpty, failOnErrors.map({ failures < $0 }) ?? true {
            try Task.checkCancellation()
            // This finds the first operation that waits for no other. If all wait, they wait for each other or for an
            // operation that failed.
            let place = waiting.firstIndex { operations[$0].needs.allSatisfy { ids[$0] != nil } }
            let index = waiting.remove(at: place ?? waiting.startIndex)
            let operation = operations[index]
            var result: JSONValue = ["method": .string(operation.method)]
            if let bulkID = operation.bulkID { result["bulkId"] = .string(bulkID) }
            do {
                guard place != nil else {
                    throw SCIMError(
                        .invalidValue, "It refers to a 'bulkId' that was not created, or that refers back to it.",
                        status: 409)
                }
                let outcome = try await run(operation, ids, call)
                if let location = outcome.location { result["location"] = .string(location) }
                if let version = outcome.version { result["version"] = .string(EntityTag.text(version)) }
                result["status"] = .string(String(outcome.status))
                if let bulkID = operation.bulkID, operation.method == "POST" {
                    ids[bulkID] = outcome.id
                }
            } catch {
                failures += 1
                let answer = ErrorAnswer(error)
                result["status"] = .string(String(answer.status))
                result["response"] = SCIMError.body(
                    status: answer.status, type: answer.scimType, detail: answer.message)
                if operation.method != "POST" {
                    result["location"] = .string(call.context.baseURL + SCIMInterface.base + operation.path)
                }
            }
            results[index] = result
        }
        return [
            "schemas": [.string(Self.response)], "Operations": .array(results.sorted { $0.key < $1.key }.map(\.value)),
        ]
    }

    private func run(_ operation: Operation, _ ids: [String: String], _ call: Call) async throws
        -> SCIMWork.Outcome
    {
        let segments = operation.path.split(separator: "/").map { segment in
            Self.reference(segment).flatMap { ids[$0] } ?? String(segment)
        }
        let entity: AttributeDefinition.Entity
        switch segments.first {
        case "Users": entity = .user
        case "Groups": entity = .role
        default: throw RequestError(.notFound, "There is nothing at that path.")
        }
        let version = operation.version
        let work = SCIMWork(
            context: call.context, view: call.view, isLarge: call.request.isLarge, clientAddress: call.clientAddress,
            checkVersion: { actual in
                guard let version, !EntityTag.list(version, names: actual) else { return }
                throw RequestError(.preconditionFailed, "Somebody changed it since: it has version \(actual).")
            })
        let derived = call.context.derived(call.view.attributes.vocabulary())
        let projection = try SCIMProjection(of: derived.scimType(of: entity))
        let data = Self.replaced(operation.data, ids)
        switch (operation.method, segments.count) {
        case ("POST", 1): return try await work.create(entity, data, projection)
        case ("PUT", 2): return try await work.replace(entity, segments[1], data, projection)
        case ("PATCH", 2):
            return try await work.patch(
                entity, segments[1], try await work.workedOut { try work.patchRequest(entity, segments[1], data) },
                projection, isResourceWanted: false)
        case ("DELETE", 2): return try await work.delete(entity, segments[1])
        default: throw RequestError(.methodNotAllowed, "That cannot be done at that path.")
        }
    }
}
