import RosterStore
import RosterText

/// The identity on whose behalf a request runs.
public enum Caller: Sendable, Hashable, Codable, CustomStringConvertible {
    /// An administrator who is not a user of the directory, for example anyone who can read the file. An
    /// administrator may do everything. The change feed shows the name.
    case administrator(String)
    /// A program, by name, that synchronises users and roles with another system. The program may read and
    /// write all of them, but must not make anybody an administrator.
    case provisioning(String)
    /// A program, by name, that monitors the server. The program may read the server's metrics and nothing of the directory.
    case monitoring(String)
    /// A program, by name, with a narrow view. The program may read what the view names, such as the mail addresses of the members of one
    /// role, and change nothing.
    case reading(String, NarrowView)
    /// A user of this directory. A user may read attributes for signed-in users, more attributes of their reportees and their
    /// own, and write their own writable attributes. A disabled user may do nothing. Members of a role with a ``Power`` may
    /// do more; the administrators' role lets its members do everything. An owner of a role may change its members.
    case user(UserID)
    /// A person whom another issuer vouches for, identified by issuer and subject, without a user in this directory.
    /// Such a person may read attributes for signed-in users, and change nothing.
    case virtualUser(issuer: String, subject: String)
    /// A caller who has not signed in, and who may do nothing.
    case nobody

    /// The caller's identity for the store's limits. Programs and external administrators share the connections in
    /// turns. All other callers have limits on searches and changes: see ``DirectoryLimits/maximumSearchesOfUser``.
    var requester: Requester {
        switch self {
        case .administrator, .provisioning, .monitoring, .reading: Requester(name: description, isLimited: false)
        case .user(let id): Requester(id: id.rawValue, isLimited: true)
        case .virtualUser, .nobody: Requester(name: description, isLimited: true)
        }
    }

    /// The text form for the change feed.
    public var description: String {
        switch self {
        case .administrator(let name): name
        case .provisioning(let name): "provisioning \(name)"
        case .monitoring(let name): "monitoring \(name)"
        case .reading(let name, _): "reading \(name)"
        case .user(let id): id.description
        case .virtualUser(let issuer, let subject): Self.shownName(issuer: issuer, subject: subject)
        case .nobody: "nobody"
        }
    }

    /// A virtual user's text form, such as `virtual https://idp.example.com#mira`. It includes the issuer, because the
    /// name alone may belong to a user of this directory. All bytes except printable ASCII, and `%` and `#`, are
    /// percent-encoded, so that no two virtual users share a text form. No user can get a name of this form.
    package static func shownName(issuer: String, subject: String) -> String {
        func encoded(_ text: String) -> String {
            PercentEncoding.text(text.utf8) { (0x21...0x7E).contains($0) && !"%#".utf8.contains($0) }
        }
        return "virtual \(encoded(issuer))#\(encoded(subject))"
    }
}
