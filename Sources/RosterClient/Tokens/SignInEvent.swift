import RosterText

/// A change of an account's sign-in: the elements of ``Authenticator/events``.
public enum SignInEvent: Sendable, Hashable {
    /// A user has signed in to the account. The name is nil if it is not known.
    case signedIn(account: String, userName: String?)
    /// The account has new tokens.
    case renewed(account: String)
    /// The account is not signed in any more. The name is that of the user who was; nil if it is not known.
    case signedOut(account: String, userName: String?, reason: SignOutReason)

    /// The ``Account/id`` of the account.
    public var account: String {
        switch self {
        case .signedIn(let account, _), .renewed(let account), .signedOut(let account, _, _): account
        }
    }
}

/// Why an account is not signed in any more.
public enum SignOutReason: Sendable, Hashable {
    /// The app has called ``Account/signOut(keepingUserName:)``.
    case signedOut
    /// The session has ended: the server does not accept the refresh token, or another process has signed the user out.
    case ended(ClientError)
}

extension Authenticator {
    /// The changes from now on, of all accounts of this authenticator. Each call makes a sequence of its own, which has no end. A slow loop
    /// misses the oldest of more than 100 changes.
    ///
    /// ```swift
    /// for await event in authenticator.events {
    ///     if case .signedOut(_, let name, let reason) = event { … }
    /// }
    /// ```
    ///
    /// Another process that shares the store is noticed when an account of this process needs new tokens.
    public var events: AsyncStream<SignInEvent> { provider.events.stream() }
}

/// Tells the changes of accounts to those who follow them.
final class SignInEvents: Sendable {
    private struct Followers {
        var next = 0
        var continuations: [Int: AsyncStream<SignInEvent>.Continuation] = [:]
    }
    private let followers = Locked(Followers())

    func tell(_ event: SignInEvent) {
        for continuation in followers.withLock({ Array($0.continuations.values) }) { continuation.yield(event) }
    }

    func stream() -> AsyncStream<SignInEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SignInEvent.self, bufferingPolicy: .bufferingNewest(100))
        let number = followers.withLock { followers in
            followers.next += 1
            followers.continuations[followers.next] = continuation
            return followers.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.followers.withLock { _ = $0.continuations.removeValue(forKey: number) }
        }
        return stream
    }
}
