import Roster
import RosterSignIn
import RosterText

/// The registered devices of the signed-in user.
enum DeviceAPI {
    static let list = Endpoint("One's registered devices, each with its app and what the app told.", answer: answer) {
        call in
        let user = try call.ownUser().id
        let devices = try call.context.directory.devices.devices(of: user)
        return .now(.json(["devices": .array(devices.map(\.json))]))
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

    static let answer = Endpoint.Answer(schema: [
        "type": "object", "required": ["devices"],
        "properties": ["devices": ["type": "array", "items": OpenAPISchemas.reference("Device")]],
    ])

    private static let notFound = RequestError(.notFound, "There is no such device.")
}
