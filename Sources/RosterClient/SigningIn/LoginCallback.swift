public import Foundation
public import RosterText

/// Shows the sign-in page to the user, after Couchbase Lite's `OIDCLoginCallback`.
///
/// The callback opens the login URL in the system's browser, and returns. When the browser comes to a URL that begins with the
/// redirect URL, the app gives that URL to the continuation. With the loopback redirect the library receives the URL itself, and the
/// continuation is needed only to cancel.
public typealias LoginCallback =
    @Sendable (_ loginURL: URL, _ redirectURL: URL, _ continuation: LoginContinuation) -> Void

/// Ends the wait for the browser, after Couchbase Lite's `OIDCLoginContinuation`. Only the first call counts.
public struct LoginContinuation: Sendable, Redacted {
    package let result: SharedResult<URL?>

    package init(result: SharedResult<URL?>) { self.result = result }

    /// Goes on with the sign-in.
    ///
    /// - Parameters:
    ///   - redirectedURL: The URL to which the sign-in page redirected the browser; nil if the user cancelled.
    ///   - error: The reason why the page could not be shown. The sign-in throws this error.
    public func callAsFunction(_ redirectedURL: URL?, error: (any Error)? = nil) {
        result.finish(error.map { .failure($0) } ?? .success(redirectedURL))
    }
}
