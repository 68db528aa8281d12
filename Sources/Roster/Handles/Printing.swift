extension UserManager: CustomStringConvertible, CustomDebugStringConvertible {
    /// Whose rights the manager has, such as `users for ada`.
    public var description: String { "users for \(view.caller)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
}

extension RoleManager: CustomStringConvertible, CustomDebugStringConvertible {
    /// Whose rights the manager has, such as `roles for ada`.
    public var description: String { "roles for \(view.caller)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
}

extension EntitySource: CustomStringConvertible, CustomDebugStringConvertible {
    /// What was asked: a manager with its caller, or a user or role with the name and the identifier.
    public var description: String {
        switch self {
        case .users(let manager): manager.description
        case .roles(let manager): manager.description
        case .user(let user): "user \(user.debugDescription)"
        case .role(let role): "role \(role.debugDescription)"
        }
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
}
