import Roster
import RosterText

/// The endpoints with which administrators decide about personal data: the retention of the change feed, and erasure.
enum PrivacyAPI {
    static let retention = Endpoint(
        "For how many days the change feed keeps changes and sign-ins; null for ever."
    ) { call in .now(.json(json(try call.view.changes.retention()))) }

    static let setRetention = Endpoint(
        "Set for how many days the change feed keeps changes and sign-ins, and take out what is older.", body: .object
    ) { call in
        let body = try call.json()
        try check(body, takesOnly: ["change_days", "sign_in_days"])
        let feed = call.view.changes
        return .later {
            var retention = try await feed.retention()
            retention.changes = try days(body, "change_days", retention.changes)
            retention.signIns = try days(body, "sign_in_days", retention.signIns)
            try await feed.setRetention(retention)
            try await feed.prune()
            return .json(json(retention))
        }
    }

    static let eraseHistory = Endpoint(
        "Erase what the change feed holds of a deleted user, by the identifier, or by a name that one deleted user had."
    ) { call in
        .later {
            let users = call.view.users
            let id = try await deletedUser(call.arguments[0], users)
            return .json(["erased": .integer(Int64(try await users.erase([id])))])
        }
    }

    private static func deletedUser(_ text: String, _ users: UserManager) async throws -> UserID {
        if let id = UserID(text) { return id }
        let deleted = try await users.deleted(text)
        guard deleted.count < 2 else {
            throw RequestError(
                .badRequest,
                "\(deleted.count) deleted users had this name. Give one of the identifiers: "
                    + deleted.map(\.description).joined(separator: ", "))
        }
        if let id = deleted.first { return id }
        // A user who exists is refused with the reason.
        return try await users.user(.named(text), attributes: ["id"]).id
    }

    private static func json(_ retention: Retention) -> JSONValue {
        func days(_ days: Int?) -> JSONValue { days.map { .integer(Int64($0)) } ?? .null }
        return ["change_days": days(retention.changes), "sign_in_days": days(retention.signIns)]
    }

    private static func check(_ body: JSONValue, takesOnly names: Set<String>) throws {
        if let unknown = body.members.first(where: { !names.contains($0.name) }) {
            throw RequestError(.badRequest, "There is no '\(unknown.name.prefix(64))' here.")
        }
    }

    /// The number of days in a member of a body; nil if the member is null, and the current number if it is missing.
    private static func days(_ body: JSONValue, _ name: String, _ current: Int?) throws -> Int? {
        switch body[name] {
        case nil: return current
        case .null?: return nil
        case let value?:
            guard let days = value.wholeNumber else {
                throw RequestError(.badRequest, "'\(name)' takes a whole number of days, or null.")
            }
            return days
        }
    }
}
