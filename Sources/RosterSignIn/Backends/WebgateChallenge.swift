import RosterText

/// The challenge that an Oracle Access Management Webgate sends: a caller of the backend without a token is answered
/// `401` with `WWW-Authenticate: OAM-Auth realm="<name>:<level> <relative URL>", request-ctx="…"`, which `OMRESTRequest` of Oracle's
/// mobile SDK answers with an access token.
///
/// In JSON the challenge is the member `webgate` of a backend's settings.
public struct WebgateChallenge: Sendable, Hashable {
    /// The name of the Webgate in the realm: up to 64 letters, digits, dots, hyphens and underscores of ASCII. The JSON name is `name`.
    public var name: String
    /// The authentication level in the realm, 0 to 100; 2 by default. The SDK uses the level as part of the realm only. The JSON name
    /// is `level`.
    public var level: Int

    /// Makes a challenge.
    public init(name: String, level: Int = 2) { (self.name, self.level) = (name, level) }

    init(_ value: JSONValue, at path: String) throws {
        var members = try DocumentObject(value, at: path)
        name = try members.required(try members.text("name"), "name")
        level = try members.integer("level", in: 0...100) ?? 2
        try members.finish()
    }

    func check(at path: String) throws {
        guard AppPolicy.isServiceDomain(name) else {
            throw DocumentObject.problem(
                "\(path).name", "has characters that the name of a Webgate cannot have, or too many.",
                "Give up to 64 letters, digits, dots, hyphens and underscores of ASCII.")
        }
        guard 0...100 ~= level else {
            throw DocumentObject.problem("\(path).level", "must be 0 to 100.", "Give another level.")
        }
    }

    var json: JSONValue { ["name": .string(name), "level": .integer(Int64(level))] }
}
