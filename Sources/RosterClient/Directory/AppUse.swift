public import Foundation
public import Roster
import RosterText

/// The use of an app by a user.
public struct AppUse: Sendable, Hashable {
    /// The user.
    public let user: UserID
    /// The user's name.
    public let uid: String
    /// The user's name for people, or the `uid` of a user without one.
    public let label: String
    /// The last time at which the app got a token, exact to a minute.
    public let used: Date
    /// Whether the app has tokens of the user.
    public let hasTokens: Bool
    /// Whether the app is told of the end of a session of the user.
    public let hasSession: Bool

    /// - Throws: `DirectoryError` `badAnswer`.
    init(_ json: JSONValue) throws {
        guard let user = json["id"]?.text.flatMap({ UserID($0) }), let uid = json["uid"]?.text,
            let label = json["name"]?.text,
            let used = json["used"]?.text.flatMap({ Timestamp.date($0) }),
            case (.boolean(let hasTokens)?, .boolean(let hasSession)?) = (json["tokens"], json["session"])
        else { throw DirectoryError.unread("users of an app") }
        (self.user, self.uid, self.label, self.used) = (user, uid, label, used)
        (self.hasTokens, self.hasSession) = (hasTokens, hasSession)
    }
}
