import Roster
import RosterAdministration
import RosterText

/// The endpoints with which administrators manage the keys that sign tokens: to make a new key, and to remove a key that was
/// stolen.
enum KeysAPI {
    static let list = Endpoint("List the keys, without the private ones.") { $0.answering(ListSigningKeys()) }

    static let make = Endpoint(
        "Make a new key, which signs in five minutes, when clients know it: ES256, RS256 or EdDSA as 'algorithm'.",
        body: .init(["type": "object", "properties": ["algorithm": ["type": "string"]]], isRequired: false),
        answer: .init(status: 201)
    ) { call in
        let body: JSONValue = call.request.body.isEmpty ? [:] : try call.json()
        if let other = body.members.first(where: { $0.name != "algorithm" }) {
            throw RequestError(.badRequest, "There is no \(EntityName.shown(other.name)). Give 'algorithm'.")
        }
        let algorithm = body["algorithm"].map { $0.text ?? "" } ?? "ES256"
        return call.answering(MakeSigningKey(algorithm), status: 201)
    }

    static let remove = Endpoint(
        "Take a key away: what it signed is good for nothing any more, and the next one signs at once.", answer: .none
    ) { $0.done(RemoveSigningKey($0.arguments[0])) }
}
