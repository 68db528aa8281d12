import Roster
import RosterText

/// The endpoints with which administrators read and set the power that a role gives to its members.
enum RolePowerAPI {
    static let read = Endpoint(
        "The power that a role gives to its members: 'help-desk', 'people-editor', 'administrator', or null for none."
    ) { call in .now(answer(try call.view.roles.power(of: .either(call.arguments[0])))) }

    static let set = Endpoint(
        "Set the 'power' that a role gives to its members: 'help-desk', 'people-editor', or null to take it away.",
        body: .object
    ) { call in
        let body = try call.json()
        guard body.members.map(\.name) == ["power"], let value = body["power"] else {
            throw RequestError(.badRequest, "The body takes 'power' and nothing else.")
        }
        let power = value.text.flatMap(Power.init(rawValue:))
        guard power != nil || value == .null else {
            throw RequestError(.badRequest, "'power' takes help-desk, people-editor or null.")
        }
        return .later {
            try await call.view.roles.setPower(power, of: .either(call.arguments[0]))
            return answer(power)
        }
    }

    private static func answer(_ power: Power?) -> HTTPResponse {
        .json(["power": power.map { .string($0.rawValue) } ?? .null])
    }
}
