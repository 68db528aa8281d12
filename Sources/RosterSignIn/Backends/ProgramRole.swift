import Roster

/// The rights of a program in the directory.
public enum ProgramRole: String, Sendable, Hashable, CaseIterable {
    /// The program may do everything, except make a backend trusted.
    case administrator
    /// The program may create, change and delete users and roles, but not administrators.
    case provisioning
    /// The program may read the service's metrics, and nothing about users.
    case monitoring

    /// The caller for a program with this role.
    func caller(named name: String) -> Caller {
        switch self {
        case .administrator: .administrator(name)
        case .provisioning: .provisioning(name)
        case .monitoring: .monitoring(name)
        }
    }
}
