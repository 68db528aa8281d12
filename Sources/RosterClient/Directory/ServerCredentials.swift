import Roster
import RosterSecrets
public import RosterText

/// The credentials with which a view asks a server. Their description hides them.
public struct ServerCredentials: Sendable {
    private enum Kind: Sendable {
        /// The value of the field `Authorization`.
        case fixed(String)
        case account(Account)
        case credentials(any RESTCredentials)
    }
    private let kind: Kind

    /// The name and the password of a user (RFC 7617).
    public static func basic(_ name: String, password: String) -> ServerCredentials {
        ServerCredentials(kind: .fixed("Basic " + Base64.text(Array("\(name):\(password)".utf8))))
    }

    /// An access token (RFC 6750), or a token that an administrator has made for a program.
    public static func bearer(_ token: String) -> ServerCredentials { ServerCredentials(kind: .fixed(scheme + token)) }

    /// The access tokens of a user who is signed in. They are renewed ahead of their end, and once more if the server refuses a token.
    ///
    /// The token must have the scope `directory`. Calls that wait on their thread also wait there for a renewal, which needs no thread
    /// of Swift's pool.
    ///
    /// - Parameter account: The account of the user.
    public static func account(_ account: Account) -> ServerCredentials { ServerCredentials(kind: .account(account)) }

    /// The credentials of a user whom another module knows.
    package static func user(_ credentials: any RESTCredentials) -> ServerCredentials {
        ServerCredentials(kind: .credentials(credentials))
    }

    private static let scheme = "Bearer "

    /// Whether a refused token can be replaced by a new one.
    var canRenew: Bool {
        switch kind {
        case .account: true
        case .credentials(let kept): kept.canRenew
        case .fixed: false
        }
    }

    /// The value of the field `Authorization`.
    ///
    /// - Parameter refused: The value that the server has refused.
    func field(replacing refused: String?) async throws -> String {
        switch kind {
        case .fixed(let field): return field
        case .account(let account):
            do {
                guard let refused else { return Self.scheme + (try await account.validAccessToken()) }
                let token = String(refused.dropFirst(Self.scheme.count))
                return Self.scheme + (try await account.accessToken(replacing: token))
            } catch let error as ClientError {
                throw DirectoryError(error)
            } catch let error as SecureStoreError {
                throw DirectoryError(error)
            }
        case .credentials(let kept):
            do {
                let refused = refused.map { String($0.dropFirst(Self.scheme.count)) }
                let token = try await kept.token(replacing: refused, [])
                return "\(token.scheme) \(token.text)"
            } catch let error as ClientError {
                throw DirectoryError(error)
            } catch let error as SecureStoreError {
                throw DirectoryError(error)
            }
        }
    }

    /// The value of the field `Authorization`, for a caller that waits on its thread.
    func fieldAndWait(replacing refused: String?) throws -> String {
        switch kind {
        case .fixed(let field): return field
        case .account(let account):
            do {
                guard let refused else { return Self.scheme + (try account.validAccessTokenAndWait()) }
                let token = String(refused.dropFirst(Self.scheme.count))
                return Self.scheme + (try account.accessTokenAndWait(replacing: token))
            } catch let error as ClientError {
                throw DirectoryError(error)
            } catch let error as SecureStoreError {
                throw DirectoryError(error)
            }
        case .credentials(let kept):
            do {
                let refused = refused.map { String($0.dropFirst(Self.scheme.count)) }
                let token = try kept.tokenAndWait(replacing: refused, [])
                return "\(token.scheme) \(token.text)"
            } catch let error as ClientError {
                throw DirectoryError(error)
            } catch let error as SecureStoreError {
                throw DirectoryError(error)
            }
        }
    }
}

extension ServerCredentials: CustomStringConvertible, Redacted {
    /// A text without the credentials.
    public var description: String { "credentials" }
}
