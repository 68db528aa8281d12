import RosterStore
import RosterText

/// On whose behalf the directory is asked.
public enum Caller: Sendable, Hashable, CustomStringConvertible {
    /// An administrator who is no user of the directory, such as whoever may read the file: by the name under which the
    /// change feed is to show them. May do everything.
    case administrator(String)
    /// A program that keeps users and roles in step with another system, by its name. May read and write all of them, but
    /// not what would make an administrator of somebody.
    case provisioning(String)
    /// A program that watches the server, by its name. May read the server's figures, and nothing of the directory.
    case monitoring(String)
    /// A user of this directory. May read what is for everyone who is signed in, more of their reportees and of
    /// themselves, and write the attributes of their own that are theirs to write. A disabled user may do nothing; a
    /// member of the administrators' role everything.
    case user(UserID)
    /// Somebody whom another issuer vouches for, under issuer and subject: no user of this directory. May read what is for
    /// everyone who is signed in, and change nothing.
    case virtualUser(issuer: String, subject: String)
    /// Somebody who has not signed in. May do nothing.
    case nobody

    /// As whom the store knows the caller. Programs, and administrators outside of the directory, only wait for each
    /// other; the searches and changes of everyone else are limited: see ``DirectoryLimits/maximumSearchesOfUser``.
    var requester: Requester {
        switch self {
        case .administrator, .provisioning, .monitoring: Requester(name: description, isLimited: false)
        case .user(let id): Requester(id: id.rawValue, isLimited: true)
        case .virtualUser, .nobody: Requester(name: description, isLimited: true)
        }
    }

    /// As the change feed shows the caller.
    public var description: String {
        switch self {
        case .administrator(let name): name
        case .provisioning(let name): "provisioning \(name)"
        case .monitoring(let name): "monitoring \(name)"
        case .user(let id): id.description
        case .virtualUser(let issuer, let subject): Self.shownName(issuer: issuer, subject: subject)
        case .nobody: "nobody"
        }
    }

    /// A virtual user by issuer and subject, such as `virtual https://idp.example.com#mira`: never by a name alone, which may
    /// be that of a user here. Bytes other than those of printable ASCII are percent-encoded, and so are `%` and `#`, so that
    /// no two virtual users look the same. No user can be given a name of this form.
    package static func shownName(issuer: String, subject: String) -> String {
        func encoded(_ text: String) -> String {
            PercentEncoding.text(text.utf8) { (0x21...0x7E).contains($0) && !"%#".utf8.contains($0) }
        }
        return "virtual \(encoded(issuer))#\(encoded(subject))"
    }
}
