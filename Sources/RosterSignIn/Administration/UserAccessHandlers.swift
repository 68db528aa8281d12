import Foundation
package import Roster
package import RosterAdministration
package import RosterText

extension ListSecondFactors: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        try await SecondFactors.all(of: user, in: context.view, keys: context.keys()).json
    }
}

extension RemoveSecondFactors: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        guard let kind else {
            let wasThere = try await context.view.awaitWrite {
                try $0.asHelper(of: user, to: "remove second factors").removeSecondFactors()
            }
            return ["removed": .boolean(wasThere)]
        }
        guard let kind = SecondFactors.Kind(rawValue: kind) else {
            throw DirectoryError(
                .notFound, "There is no kind of second factors \(ShownText.quoted(kind)).",
                advice: "Give app or questions.")
        }
        let keys = try context.keys()
        let wasThere = try await context.view.awaitWrite {
            try $0.asHelper(of: user, to: "remove second factors").removeSecondFactor(kind, keys: keys)
        }
        return ["removed": .boolean(wasThere)]
    }
}

extension SetPassword: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let reference = user
        let hash = try await context.passwords().hash(password, in: context.view) {
            guard try !$0.access.checkChangingPassword(of: reference).needsOldPassword else {
                throw DirectoryError.oldPasswordMissing
            }
            return try $0.users.namesToSetPassword(of: reference)
        }
        try await context.view.users.modify(reference, [.set("password", .string(hash))])
        return [:]
    }
}

extension MakePasswordLink: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        guard let kind = PasswordLink.Kind(rawValue: kind) else {
            throw DirectoryError(
                .invalidInput, "There is no kind of password links \(ShownText.quoted(kind)).",
                advice: "Give reset or invitation.")
        }
        let (link, user) = try await context.view.awaitWrite { [user] transaction in
            let link = try transaction.links.makePasswordLink(for: user, kind, isMailed: isMailed)
            if isMailed {
                // Only who may make the link learns whether the server sends mails.
                guard context.mailer != nil else {
                    throw DirectoryError(
                        .invalidInput, "This server sends no mails.",
                        advice: "Make a link that is not mailed, and hand it over yourself.")
                }
                try transaction.addresses.checkMailingLink(to: user)
            }
            return (link, try transaction.users.user(user))
        }
        guard isMailed else {
            return ["expires": .time(link.expires), "url": .string(link.url(at: context.issuer))]
        }
        try context.mailer?.send(link, kind, to: user, issuer: context.issuer)
        return ["expires": .time(link.expires)]
    }
}

extension ListSessions: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let sessions = try await context.view.awaitRead(isBrief: true) { try $0.sessions.sessions(of: user) }
        return ["sessions": .array(sessions.map { $0.json(isCurrent: false) })]
    }
}

extension EndSession: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let count = try await context.view.awaitWrite {
            try $0.asSelfOrHelper(of: user).endSessions(session)
        }
        guard count > 0 else {
            throw DirectoryError(.notFound, "There is no such session.", advice: "List them to see which there are.")
        }
        return [:]
    }
}

extension SignOutUser: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let origin = context.origin.address
        try await context.view.awaitWrite { transaction in
            let right = try transaction.asSelfOrHelper(of: user)
            try right.endSignIns()
            try transaction.feed.record(
                .revoked, .user, id: right.user.id.rawValue, name: right.user.uid, before: nil,
                after: origin.isEmpty ? ["means": "sign-out"] : ["means": "sign-out", "from": .string(origin)])
        }
        return [:]
    }
}

extension ListDevices: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let devices = try await context.view.awaitRead(isBrief: true) { try $0.devices.devices(of: user) }
        return ["devices": .array(devices.map(\.json))]
    }
}

extension EndDevice: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        guard
            try await context.view.awaitWrite({
                try $0.asHelper(of: user, to: "end the devices of others").endDevice(device)
            })
        else {
            throw DirectoryError(.notFound, "There is no such device.", advice: "List them to see which there are.")
        }
        return [:]
    }
}

extension ListRoleChanges: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        guard (1...200).contains(count) else {
            throw DirectoryError(.invalidInput, "A page has 1 to 200 changes.", advice: "Give another 'count'.")
        }
        let position = try before.map { text in
            guard let position = MembershipChange.Position(text) else {
                throw DirectoryError(
                    .invalidInput, "'before' is not the 'next' of a page.", advice: "Begin with the first page.")
            }
            return position
        }
        return try await context.view.awaitRead {
            try $0.feed.membershipPage(of: user, before: position, count: count)
        }
    }
}

extension ListLatestChanges: HandledOperation {
    /// The kinds of change that the operation takes.
    package static let kinds: [Change.Kind] = [
        .created, .modified, .deleted, .signedIn, .refused, .granted, .exchanged, .revoked, .pruned,
    ]
    /// The kinds of what was changed that the operation takes.
    package static let entities: [Change.Entity] = [
        .user, .role, .attribute, .backend, .virtualUser, .signingKey, .feed, .setting,
    ]

    package func run(in context: AdministrationContext) async throws -> JSONValue {
        guard (1...1_000).contains(limit) else {
            throw DirectoryError(.invalidInput, "'limit' takes 1 to 1000.", advice: "Give another number.")
        }
        let filter = ChangeFilter(
            kind: try kind.map { try Self.choice($0, "kind", Self.kinds) },
            entity: try entity.map { try Self.choice($0, "entity", Self.entities) }, subject: subject, actor: actor,
            batch: batch)
        return try await context.view.awaitRead { transaction in
            let found = try transaction.feed.latestChanges(filter, before: before, limit: limit)
            // The feed names users by identifier as actors; people know names.
            let names = try transaction.references.names(of: Set(found.changes.compactMap { UserID($0.actor) }))
            let entries = found.changes.map { change in
                var entry = change.json
                if let name = UserID(change.actor).flatMap({ names[$0] }) { entry["actor_name"] = .string(name) }
                return entry
            }
            var page: JSONValue = ["elements": .array(entries)]
            if let next = found.next { page["next"] = .integer(next) }
            return page
        }
    }

    /// One of several values, by its name.
    private static func choice<Value>(_ text: String, _ name: String, _ values: [Value]) throws -> Value {
        guard let value = values.first(where: { "\($0)" == text }) else {
            throw DirectoryError(
                .invalidInput, "'\(name)' does not take this value.",
                advice: "Give one of \(values.map { "\($0)" }.joined(separator: ", ")).")
        }
        return value
    }
}

extension ReadRemainingAccess: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        try await context.view.awaitRead(isBrief: true) { try $0.remainingAccess.access(of: maker) }.json
    }
}

extension EndRemainingAccess: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        try await context.view.awaitWrite {
            try $0.asPresentAdministrator(to: "end what others made").remainingAccess.end(of: maker)
        }.json
    }
}
