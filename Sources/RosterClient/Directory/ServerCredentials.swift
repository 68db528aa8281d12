import Roster
import RosterText

/// The credentials with which a view asks a server. Their description hides them.
public struct ServerCredentials: Sendable {
    /// The value of the field `Authorization`; nil to send none. The argument is the value that the server has refused.
    let field: @Sendable (_ refused: String?) async throws -> String?
    /// The same for callers that wait on their thread.
    let fieldAndWait: @Sendable (_ refused: String?) throws -> String?

    init(
        field: @escaping @Sendable (String?) async throws -> String?,
        fieldAndWait: @escaping @Sendable (String?) throws -> String?
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

    /// The access tokens of a user who is signed in. They are renewed ahead of their end, and once more if the server refuses a token.
    ///
    /// The token must have the scope `directory`. Calls that wait on their thread also wait there for a renewal, which needs no thread
    /// of Swift's pool.
    ///
    /// - Parameter account: The account of the user.
    public static func account(_ account: Account) -> ServerCredentials {
        let scheme = "Bearer "
        return ServerCredentials(
            field: { refused in
                do {
                    guard let refused else { return scheme + (try await account.validAccessToken()) }
                    return scheme + (try await account.accessToken(replacing: String(refused.dropFirst(scheme.count))))
                } catch let error as ClientError {
                    throw DirectoryError(error)
                }
            },
            fieldAndWait: { refused in
                do {
                    guard let refused else { return scheme + (try account.validAccessTokenAndWait()) }
                    return scheme
                        + (try account.accessTokenAndWait(replacing: String(refused.dropFirst(scheme.count))))
                } catch let error as ClientError {
                    throw DirectoryError(error)
                }
            })
    }
}

extension ServerCredentials: CustomStringConvertible, Redacted {
    /// A text without the credentials.
    public var description: String { "credentials" }
}
