public import Observation
public import RosterClient

/// Who is signed in, as an object that SwiftUI and other observers of `@Observable` types follow.
///
/// ```text
/// struct Root: View {
///     @State var session: SignInSession
///
///     var body: some View {
///         Group {
///             if let account = session.account { Home(account: account) } else { Welcome(session: session) }
///         }
///         .task { await session.follow() }
///     }
/// }
/// ```
@MainActor @Observable
public final class SignInSession {
    /// The account of the user who is signed in; nil if nobody is.
    public private(set) var account: Account?
    /// The name of the user who is signed in, or else of the last user whose session has ended; nil if it is not known.
    public private(set) var userName: String?
    /// Why nobody is signed in any more; nil if somebody is, or if nobody was since the object was made.
    public private(set) var reason: SignOutReason?
    /// Whether ``signIn(maximumAge:options:presenter:)`` is under way.
    public private(set) var isSigningIn = false
    /// The error of the last call; nil if it succeeded, or if the user cancelled the sign-in.
    public private(set) var error: (any Error)?
    /// The number of changes of the tokens since the object was made.
    public private(set) var renewals = 0

    /// Whether somebody is signed in.
    public var isSignedIn: Bool { account != nil }

    private let authenticator: Authenticator
    private let label: String

    /// Makes an object with the account as the store has it. The server is not asked.
    ///
    /// - Parameters:
    ///   - authenticator: The authenticator of the app.
    ///   - account: The app's own label for the user; most apps need only the default.
    public init(_ authenticator: Authenticator, account: String = "default") {
        (self.authenticator, label) = (authenticator, account)
        read()
    }

    /// Keeps the properties current until the task is cancelled.
    public func follow() async {
        let events = authenticator.events
        read()
        for await event in events where event.account == label { take(event) }
    }

    /// Signs a user in with a page in the app's user interface. ``error`` has the reason of a failure.
    ///
    /// - Parameters:
    ///   - maximumAge: The seconds since the user proved who they are, at most; 0 asks always. nil for any.
    ///   - options: What is asked of the page.
    ///   - presenter: Shows the page.
    public func signIn(
        maximumAge: Int? = nil, options: SignInOptions = SignInOptions(), presenter: some SignInPresenter
    ) async {
        isSigningIn = true
        defer { isSigningIn = false }
        await run {
            _ = try await authenticator.signIn(
                account: label, maximumAge: maximumAge, options: options, presenter: presenter)
        }
    }

    /// Signs the user out. ``error`` has the reason of a failure.
    ///
    /// - Parameter keepingUserName: Whether ``userName`` goes on to have the name.
    public func signOut(keepingUserName: Bool = false) async {
        guard let account else { return }
        await run { _ = try await account.signOut(keepingUserName: keepingUserName) }
        if error == nil { reason = .signedOut }
    }

    private func run(_ body: () async throws -> Void) async {
        error = nil
        var failure: (any Error)?
        do {
            try await body()
        } catch let error as ClientError where error.code == .signInCancelled {
            // The user knows.
        } catch is CancellationError {
            // So does the app.
        } catch {
            failure = error
        }
        read()
        if let failure { error = failure }
    }

    /// Reads the store.
    private func read() {
        do {
            let stored = try authenticator.account(label)
            let known = stored.flatMap { $0.isSignedIn ? $0 : nil }
            if known == nil, account != nil { reason = .ended(Account.ended) }
            if known !== account { account = known }
            userName = try known?.userName ?? authenticator.lastUserName(of: label)
            if known != nil { reason = nil }
        } catch {
            self.error = error
        }
    }

    private func take(_ event: SignInEvent) {
        switch event {
        case .renewed: renewals += 1
        case .signedIn: read()
        case .signedOut(_, _, let reason):
            read()
            if account == nil { self.reason = reason }
        }
    }
}
