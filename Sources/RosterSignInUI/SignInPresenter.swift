public import Foundation
public import RosterClient
import RosterText

/// Shows a sign-in page in the app's user interface, and brings the URL to which the page redirects.
///
/// `WebAuthenticationPresenter` does so on Apple platforms.
@MainActor
public protocol SignInPresenter: Sendable {
    /// Shows the page until it redirects to a URL that begins with the redirect URL.
    ///
    /// - Parameters:
    ///   - loginURL: The sign-in page.
    ///   - redirectURL: The app's redirect URL.
    /// - Returns: The URL to which the page redirected; nil if the user closed the page.
    func present(_ loginURL: URL, redirectURL: URL) async throws -> URL?
}

extension Authenticator {
    /// Signs a user in with a page in the app's user interface.
    ///
    /// - Parameters:
    ///   - account: The app's own label for the user; most apps need only the default.
    ///   - maximumAge: The seconds since the user proved who they are, at most; 0 asks always. nil for any.
    ///   - options: What is asked of the page.
    ///   - presenter: Shows the page.
    /// - Throws: The errors of `signIn(account:maximumAge:options:callback:)`, and the presenter's.
    public func signIn(
        account: String = "default", maximumAge: Int? = nil, options: SignInOptions = SignInOptions(),
        presenter: some SignInPresenter
    ) async throws -> Account {
        let shown = Locked<Task<Void, Never>?>(nil)
        // The page closes when the sign-in ends for another reason, such as a cancelled task.
        defer { shown.withLock { $0 }?.cancel() }
        return try await signIn(account: account, maximumAge: maximumAge, options: options) {
            loginURL, redirectURL, continuation in
            let task = Task { @MainActor in
                do {
                    continuation(try await presenter.present(loginURL, redirectURL: redirectURL))
                } catch {
                    continuation(nil, error: error)
                }
            }
            shown.withLock { $0 = task }
        }
    }
}
