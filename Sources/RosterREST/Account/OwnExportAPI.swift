import Roster
import RosterSignIn
import RosterText

/// Everything that the server keeps about the signed-in user, in one document (GDPR, articles 15 and 20).
enum OwnExportAPI {
    /// The largest number of entries of the change feed in the document.
    private static let mostChanges = 10_000

    static let export = Endpoint(
        "Everything that is kept about oneself: the profile with the photo, roles, reporting lines, sessions, app passwords, "
            + "apps, devices, linked accounts, and the entries of the change feed. Secrets are not in it."
    ) { call in
        let (user, name) = try call.ownUser()
        let factors = try? call.oauth.secondFactors.summary(of: user)
        let consents = try call.context.directory.consents.consents(of: user)
        let devices = try call.context.directory.devices.devices(of: user)
        let time = call.oauth.clock()
        return call.reading { transaction in
            let own = UserReference.id(user)
            let person = try transaction.users.user(own, .all)
            let manager = try person.managerID.map { try transaction.users.user(.id($0), ["uid"]) }
            let changes = try transaction.feed.history(of: own, limit: mostChanges)
            let document: JSONValue = [
                "exported": .time(time),
                "profile": [
                    "id": .string(user.description), "uid": .string(name), "active": .boolean(person.isActive),
                    "created": .time(person.created), "modified": .time(person.modified),
                    "version": .integer(person.version),
                    "attributes": .object(person.attributes.map { .init($0.name.rawValue, JSONValue($0.value)) }),
                ],
                "manager": .text(manager?.uid),
                "roles": .texts(try transaction.roles.memberships(of: user).map(\.role.name)),
                "password": .boolean(try transaction.access.hasPassword(user)),
                "second_factor": [
                    "app": .boolean(factors?.hasApp ?? false), "questions": .integer(Int64(factors?.questions ?? 0)),
                ],
                "sessions": .array(try transaction.sessions.sessions(of: own).map { $0.json(isCurrent: false) }),
                "app_passwords": .array(try transaction.appPasswords.all(of: own).map(\.json)),
                "apps": .array(try transaction.sessions.apps(of: own).map(OwnAccountAPI.shown)),
                "consents": .array(
                    consents.map { ["client_id": .string($0.clientID), "scope": .string($0.scopes.text)] }),
                "devices": .array(
                    devices.map { device in
                        .object(
                            [.init("name", .string(device.name)), .init("created", .time(device.created))]
                                + device.profile.members)
                    }),
                "linked_accounts": .array(
                    try transaction.sessions.links(of: own).map {
                        ["issuer": .string($0.issuer), "subject": .string($0.subject)]
                    }),
                "changes": .array(changes.map(\.json)),
            ]
            return .json(
                document, headers: ["Content-Disposition": "attachment; filename=\"my-data.json\""])
        }
    }
}
