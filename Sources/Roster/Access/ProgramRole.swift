/// The rights of a program in the directory.
public enum ProgramRole: String, Sendable, Hashable, CaseIterable {
    /// The program may do everything, except make a backend trusted.
    case administrator
    /// The program may create, change and delete users and roles, but not administrators.
    case provisioning
    /// The program may read the service's metrics, and nothing about users.
    case monitoring
    /// The program may read what its `NarrowView` names, such as some attributes of the members of one role. Only tokens have this role,
    /// because only tokens name a narrow view.
    case reading

    /// The caller for a program with this role.
    package func caller(named name: String) -> Caller {
        switch self {
        case .administrator: .administrator(name)
        case .provisioning: .provisioning(name)
        case .monitoring: .monitoring(name)
        // A program of this role reads nothing without a narrow view, which only a token names.
        case .reading: .nobody
        }
    }
}
