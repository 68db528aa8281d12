import Foundation
import Roster
import RosterOpenID
import RosterSignIn
import RosterText

/// The endpoints with which administrators manage the keys that sign tokens: to make a new key, and to remove a key that was
/// stolen.
enum KeysAPI {

    static let list = Endpoint("List the keys, without the private ones.") {
        call in
        .now(.json(["keys": .array(try call.view.read { try $0.keys.all() }.map(\.json))]))
    }

    static let make = Endpoint(
        "Make a new key, which signs in five minutes, when clients know it: ES256, RS256 or EdDSA as 'algorithm'.",
        body: .init(["type": "object", "properties": ["algorithm": ["type": "string"]]], isRequired: false),
        answer: .init(status: 201)
    ) { call in
        let body: JSONValue = call.request.body.isEmpty ? [:] : try call.json()
        if let other = body.members.first(where: { $0.name != "algorithm" }) {
            throw RequestError(.badRequest, "There is no \(EntityName.shown(other.name)). Give 'algorithm'.")
        }
        guard let algorithm = SigningAlgorithm(rawValue: body["algorithm"].map { $0.text ?? "" } ?? "ES256") else {
            throw RequestError(.badRequest, "'algorithm' takes ES256, RS256 or EdDSA.")
        }
        let (view, oauth, actor) = (call.view, call.oauth, call.identity?.name ?? "")
        return .later {
            try view.read { try $0.keys.checkChangingKeys() }
            let id = try oauth.keys.rotate(algorithm, by: actor)
            let keys = try view.read { try $0.keys.all() }
            return .json(keys.first { $0.id == id }.map(\.json) ?? [:], status: 201)
        }
    }

    static let remove = Endpoint(
        "Take a key away: what it signed is good for nothing any more, and the next one signs at once.", answer: .none
    ) { call in
        let (view, oauth, actor) = (call.view, call.oauth, call.identity?.name ?? "")
        let id = call.arguments[0]
        return .done {
            try view.read { try $0.keys.checkChangingKeys() }
            guard try view.read({ try $0.keys.all() }).contains(where: { $0.id == id }) else {
                throw RequestError(.notFound, "There is no such key.")
            }
            try oauth.keys.remove(id, by: actor)
        }
    }
}
