import Foundation
import Roster
import RosterSignIn
import RosterText

/// The registered devices of users: a user sees and ends their own, an administrator those of everybody.
enum DeviceAPI {
    static let list = Endpoint("One's registered devices, each with its app and what the app told.", answer: answer) {
        call in
        let user = try call.ownUser().id
        return .now(shown(try call.context.directory.devices.devices(of: user)))
    }

    static let end = Endpoint(
        "End a registered device of one's own. The tokens that its app got end at once.", answer: .none
    ) { call in
        let user = try call.ownUser().id
        return .done {
            let id = call.arguments[0]
            guard try await call.oauth.deviceRegistration.endDevice(id, of: user, from: call.origin) else {
                throw notFound
            }
        }
    }

    static let listOfUser = Endpoint("The registered devices of a user.", answer: answer) { call in
        .now(shown(try call.view.read { try $0.devices.devices(of: .either(call.arguments[0])) }))
    }

    static let endOfUser = Endpoint(
        "End a registered device of a user. The tokens that its app got end at once.", answer: .none
    ) { call in
        .done {
            let (name, id) = (call.arguments[0], call.arguments[1])
            guard try await call.view.awaitWrite({ try $0.devices.end(id, of: .either(name)) }) else { throw notFound }
        }
    }

    private static let answer = Endpoint.Answer(schema: [
        "type": "object", "required": ["devices"],
        "properties": ["devices": ["type": "array", "items": OpenAPISchemas.reference("Device")]],
    ])

    private static let notFound = RequestError(.notFound, "There is no such device.")

    private static func shown(_ devices: [Device]) -> HTTPResponse {
        let list = devices.map { device -> JSONValue in
            .object(
                [
                    .init("id", .string(device.id)), .init("client_id", .string(device.clientID)),
                    .init("name", .string(device.name)), .init("version", .string(device.version)),
                    .init("created", .time(device.created)), .init("expires", .time(device.expires)),
                ] + device.profile.members)
        }
        return .json(["devices": .array(list)])
    }
}
