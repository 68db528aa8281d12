// This file is not compiled on Linux. It has nothing but the calls of the system.
#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    public import Foundation

    /// Shows the sign-in page with the system's `ASWebAuthenticationSession`, which shares the browser's sign-ins.
    ///
    /// The app's redirect URL has a scheme of its own, such as `com.example.shop:/callback`, or is an `https` URL of an associated domain.
    @MainActor
    public final class WebAuthenticationPresenter: NSObject, SignInPresenter,
        ASWebAuthenticationPresentationContextProviding
    {
        private let isEphemeral: Bool
        private let anchor: @MainActor () -> ASPresentationAnchor
        private var session: ASWebAuthenticationSession?

        /// Makes a presenter.
        ///
        /// - Parameters:
        ///   - isEphemeral: Whether the page has no part in the browser's sign-ins.
        ///   - anchor: The window over which the page appears.
        public init(isEphemeral: Bool = false, anchor: @escaping @MainActor () -> ASPresentationAnchor) {
            self.isEphemeral = isEphemeral
            self.anchor = anchor
        }

        /// The window over which the page appears.
        public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor() }

        /// Shows the page until it redirects to the app.
        public func present(_ loginURL: URL, redirectURL: URL) async throws -> URL? {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let callback: ASWebAuthenticationSession.Callback =
                        redirectURL.scheme == "https"
                        ? .https(host: redirectURL.host() ?? "", path: redirectURL.path())
                        : .customScheme(redirectURL.scheme ?? "")
                    let session = ASWebAuthenticationSession(url: loginURL, callback: callback) { url, error in
                        if let error, (error as? ASWebAuthenticationSessionError)?.code != .canceledLogin {
                            continuation.resume(throwing: error)
                        } else {
                            continuation.resume(returning: url)
                        }
                    }
                    session.presentationContextProvider = self
                    session.prefersEphemeralWebBrowserSession = isEphemeral
                    self.session = session
                    session.start()
                }
            } onCancel: {
                Task { @MainActor in self.session?.cancel() }
            }
        }
    }
#endif
