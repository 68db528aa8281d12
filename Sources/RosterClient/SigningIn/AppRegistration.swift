import Foundation
import RosterOpenID
public import RosterText

/// An app as a server knows it: the client of OAuth 2.0 and OpenID Connect.
///
/// The description has the issuer and the client id only.
public struct AppRegistration: Sendable, Hashable {
    /// Where the browser brings the answer of the sign-in page.
    public enum Redirect: Sendable, Hashable {
        /// The app listens at `http://127.0.0.1` while the browser is open (RFC 8252, section 7.3).
        ///
        /// The port 0 means any free port; register the URL without a port then. Some servers accept only the registered port: give
        /// them one that is free.
        case loopback(path: String = "/callback", port: UInt16 = 0)
        /// A URL with the app's own scheme, such as `com.example.shop:/callback`, or an `https` URL that the system gives to the
        /// app. The system gives the redirected URL to the app, even if the app was restarted meanwhile.
        case url(String)
    }

    /// The issuer: the server's URL as text, because it is compared byte for byte with what the server's documents and tokens say.
    public var issuer: String
    /// The client id.
    public var clientID: String
    /// The client secret; nil for an app that cannot keep one, such as all apps that users install.
    public var clientSecret: String?
    /// Where the browser brings the answer of the sign-in page.
    public var redirect: Redirect
    /// The scopes to ask for. With `openid` the server says who signed in, with `offline_access` the app stays signed in.
    public var scopes: [String]

    /// Makes a registration. The values are checked when an ``Authenticator`` is made.
    public init(
        issuer: String, clientID: String, clientSecret: String? = nil, redirect: Redirect = .loopback(),
        scopes: [String] = ["openid", "profile", "offline_access"]
    ) {
        (self.issuer, self.clientID, self.clientSecret) = (issuer, clientID, clientSecret)
        (self.redirect, self.scopes) = (redirect, scopes)
    }

    /// Throws ``ClientError/Code/badConfiguration`` for values that no server accepts.
    package func check() throws {
        func bad(_ message: String, _ advice: String) -> ClientError {
            ClientError(.badConfiguration, message, advice: advice)
        }
        guard ProviderMetadata.isEndpoint(issuer, allowsHTTP: isLocal), !issuer.contains("?"), !issuer.contains("@")
        else { throw bad("The issuer is not an https URL.", "Give the server's https URL without query.") }
        guard (1...512).contains(clientID.utf8.count), clientID.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw bad("The client id is empty, too long, or not ASCII.", "Give the id that the server shows.")
        }
        for scope in scopes {
            guard ScopeSyntax.isValid(scope) else {
                throw bad("A scope has characters that no scope can have.", "Give one word for each scope.")
            }
        }
        switch redirect {
        case .loopback(let path, _):
            guard path.hasPrefix("/"), path.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) || $0 == 0x2F }) else {
                throw bad("The path of the loopback redirect is not a plain path.", "Give a path such as '/callback'.")
            }
        case .url(let text):
            guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains("?"), !text.contains("#"),
                let scheme = URL(string: text)?.scheme, scheme != "http"
            else {
                throw bad(
                    "The redirect URL is not absolute, is an http URL, or has a query or fragment.",
                    "Give a URL with the app's own scheme, or take the loopback redirect.")
            }
        }
    }

    /// Whether the server is on this machine, where no TLS is needed.
    package var isLocal: Bool { Loopback.contains(hostOf: issuer) }
}

extension AppRegistration: CustomStringConvertible, Redacted {
    /// The client id and the issuer.
    public var description: String { "\(clientID) at \(issuer)" }
}
