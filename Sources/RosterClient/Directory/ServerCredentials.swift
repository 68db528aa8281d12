import RosterText

/// The credentials with which a view asks a server. Their description hides them.
public struct ServerCredentials: Sendable {
    /// The value of the field `Authorization`; nil to send none. The argument tells whether the server has refused the previous
    /// value.
    let field: @Sendable (_ wasRefused: Bool) async throws -> String?
    /// The same for callers that wait on their thread.
    let fieldAndWait: @Sendable (_ wasRefused: Bool) throws -> String?

    init(
        field: @escaping @Sendable (Bool) async throws -> String?,
        fieldAndWait: @escaping @Sendable (Bool) throws -> String?
    ) {
        (self.field, self.fieldAndWait) = (field, fieldAndWait)
    }

    private init(fixed field: String) { self.init(field: { _ in field }, fieldAndWait: { _ in field }) }

    /// The name and the password of a user (RFC 7617).
    public static func basic(_ name: String, password: String) -> ServerCredentials {
        ServerCredentials(fixed: "Basic " + Base64.text(Array("\(name):\(password)".utf8)))
    }

    /// An access token (RFC 6750), or a token that an administrator has made for a program.
    public static func bearer(_ token: String) -> ServerCredentials { ServerCredentials(fixed: "Bearer " + token) }
}

extension ServerCredentials: CustomStringConvertible, CustomReflectable {
    /// A text without the credentials.
    public var description: String { "credentials" }
    /// A mirror without the credentials.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
