import Roster
package import RosterAdministration
import RosterOpenID
package import RosterText

extension ListSigningKeys: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        ["keys": .array(try await context.view.awaitRead(isBrief: true) { try $0.keys.all() }.map(\.json))]
    }
}

extension MakeSigningKey: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        guard let algorithm = SigningAlgorithm(rawValue: algorithm) else {
            throw DirectoryError(
                .invalidInput, "There is no algorithm \(ShownText.quoted(algorithm)) for signing keys.",
                advice: "Give ES256, RS256 or EdDSA.")
        }
        let id = try await context.keys().rotate(algorithm, in: context.view)
        let keys = try await context.view.awaitRead(isBrief: true) { try $0.keys.all() }
        return keys.first { $0.id == id }.map(\.json) ?? [:]
    }
}

extension RemoveSigningKey: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        guard try await context.keys().remove(key, in: context.view) else {
            throw DirectoryError(.notFound, "There is no such key.", advice: "List them to see which there are.")
        }
        return [:]
    }
}
