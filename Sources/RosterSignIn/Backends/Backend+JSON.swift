import Roster
package import RosterText

extension Backend {
    /// All properties except the secrets, as text for people.
    package var json: JSONValue {
        .object(
            [
                .init("id", .string(id.description)), .init("name", .string(name)), .init("version", .string(version)),
                .init("client_id", .string(clientID)), .init("backend_id", .string(backendID)),
            ] + settings.document.members)
    }

    /// The properties with the time at which the backend was made, and the advice about its settings.
    package var listed: JSONValue {
        .object(json.members + [.init("created", .time(created)), .init("advice", .texts(advice))])
    }

    /// The properties with the secrets, which are shown once.
    package func json(with secrets: Secrets) -> JSONValue { .object(json.members + secrets.json.members) }
}
