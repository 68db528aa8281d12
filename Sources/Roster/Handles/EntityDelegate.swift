/// Receives the results of operations. Mirrors Oracle Mobile and Social SDK's `OMEntityDelegate`, `OMUserManagerDelegate`
/// and `OMRoleManagerDelegate`.
///
/// Set the delegate of a manager, and call operations of the manager, or of the users and roles that it reads, without a completion:
///
/// ```swift
/// var users = directory.unrestricted.users
/// users.delegate = screen
/// let handle = users.userAsynchronously("ada")  // … and the screen receives the result.
/// ```
///
/// Each operation calls exactly one of the two methods, exactly once, with the handle that the operation returned.
public protocol EntityDelegate: AnyObject, Sendable {
    /// Receives users or roles, or an error (`didReceiveEntities:error:from:withAsynchronousHandle:`).
    ///
    /// - Parameters:
    ///   - entities: The result of the operation, for example a `User`, a `[User]` or a `Role`; or the error.
    ///   - source: The object that was asked.
    ///   - handle: The handle of the operation.
    func didReceive<Value: Sendable>(
        _ entities: Result<Value, any Error>, from source: EntitySource, withHandle handle: AsyncOperationHandle<Value>)

    /// Receives the end of a change (`didFinishEntityOperation:by:withAsynchronousHandle:`).
    ///
    /// - Parameters:
    ///   - error: The error; nil after success.
    ///   - source: The object that was asked.
    ///   - handle: The handle of the operation.
    func didFinishOperation(
        error: (any Error)?, by source: EntitySource, withHandle handle: AsyncOperationHandle<Void>)
}

/// The object that was asked for an operation.
public enum EntitySource: Sendable {
    /// A manager of users.
    case users(UserManager)
    /// A manager of roles.
    case roles(RoleManager)
    /// A user, for example for ``User/managerAsynchronously(deliveringOn:delegate:completion:)``.
    case user(User)
    /// A role, for example for ``Role/membersAsynchronously(deliveringOn:delegate:completion:)``.
    case role(Role)
}

extension EntityDelegate {
    /// A completion that passes entities to this delegate, and keeps only a weak reference to it.
    ///
    /// - Parameter source: The object that is asked.
    public func receiving<Value: Sendable>(from source: EntitySource) -> Completion<Value> {
        { [weak self] result, handle in self?.didReceive(result, from: source, withHandle: handle) }
    }

    /// A completion that reports the end of a change to this delegate, and keeps only a weak reference to it.
    ///
    /// - Parameter source: The object that is asked.
    public func finishing(by source: EntitySource) -> Completion<Void> {
        { [weak self] result, handle in
            if case .failure(let error) = result {
                self?.didFinishOperation(error: error, by: source, withHandle: handle)
            } else {
                self?.didFinishOperation(error: nil, by: source, withHandle: handle)
            }
        }
    }
}

/// The closure that receives an operation's result.
public typealias Completion<Value: Sendable> =
    @Sendable (Result<Value, any Error>, AsyncOperationHandle<Value>) -> Void

/// A weak reference to a delegate. Copies of a manager, a user or a role share it.
struct DelegateReference: Sendable {
    /// The delegate; nil after its end.
    let delegate: @Sendable () -> (any EntityDelegate)?

    /// - Parameter delegate: The delegate; nil for none.
    init?(_ delegate: (any EntityDelegate)?) {
        guard let delegate else { return nil }
        self.delegate = { [weak delegate] in delegate }
    }
}

extension DirectoryView {
    /// The delegate of the managers, users and roles that have this view; nil for none, and after the delegate's end.
    var delegate: (any EntityDelegate)? {
        get {
            switch source {
            case .embedded(let shared): shared.delegateReference?.delegate()
            case .remote(let remote): remote.delegateReference?.delegate()
            }
        }
        set {
            let reference = DelegateReference(newValue)
            switch source {
            case .embedded(let shared):
                self = DirectoryView(
                    shared: EmbeddedView(
                        core: shared.core, caller: shared.caller, presence: shared.presence, open: shared.open,
                        notes: shared.notes, delegateReference: reference, batch: shared.batch), lease: lease)
            case .remote(let remote): self = DirectoryView(remote.reporting(to: reference))
            }
        }
    }
}

extension UserManager {
    /// The delegate that receives the results of this manager's operations without a completion. The manager and its copies
    /// do not keep the delegate alive. An operation reports to the delegate that was set when it was called. Users that the manager
    /// reads have the same delegate.
    public var delegate: (any EntityDelegate)? {
        get { view.delegate }
        set { view.delegate = newValue }
    }
}

extension RoleManager {
    /// The delegate that receives the results of this manager's operations without a completion, as
    /// ``UserManager/delegate`` does for users.
    public var delegate: (any EntityDelegate)? {
        get { view.delegate }
        set { view.delegate = newValue }
    }
}

extension User {
    /// The delegate that receives the results of this user's operations without a completion. A user that was read by a manager
    /// with a delegate has the manager's delegate. The user does not keep the delegate alive.
    public var delegate: (any EntityDelegate)? {
        get { view.delegate }
        set { view.delegate = newValue }
    }
}

extension Role {
    /// The delegate that receives the results of this role's operations without a completion, as ``User/delegate`` does for a user.
    public var delegate: (any EntityDelegate)? {
        get { view.delegate }
        set { view.delegate = newValue }
    }
}
