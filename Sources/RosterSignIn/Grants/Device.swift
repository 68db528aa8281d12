package import Foundation
package import Roster
import RosterStore
package import RosterText

/// A registered device of a user: the grant behind a registration handle.
package struct Device: Sendable, Hashable {
    /// The identifier, which the grants that the device got name as well.
    package let id: String
    /// The `client_id` of the app.
    package let clientID: String
    /// The name and the version of the app's backend.
    package let name: String
    package let version: String
    /// The facts that the app told.
    package let profile: DeviceProfile
    package let created: Date
    /// The time when the handle ends.
    package let expires: Date

    /// The identifier of the device whose registration is a grant. Its tokens tell the same parts.
    static func id(grant: Int64, salt: String) -> String { "\(grant).\(salt.prefix(AccessToken.saltLength))" }
}

extension Device {
    /// The device as its user and administrators see it.
    package var json: JSONValue {
        .object(
            [
                .init("id", .string(id)), .init("client_id", .string(clientID)), .init("name", .string(name)),
                .init("version", .string(version)), .init("created", .time(created)), .init("expires", .time(expires)),
            ] + profile.members)
    }
}

extension DirectoryDevices {
    /// The registered devices of a user, by the time of registration.
    package func devices(of user: UserID) throws -> [Device] {
        let now = directory.now
        return try directory.store.read { try Self.devices(of: user, at: now, on: $0) }
    }

    /// Ends a user's registered device, with all tokens that its app got by the registration.
    ///
    /// - Returns: Whether there was such a device.
    package func end(_ id: String, of user: UserID) async throws -> Bool {
        try await directory.store.awaitWrite { try Self.end(id, of: user, on: $0) }
    }

    /// Ends the older registrations of an installation that has registered again.
    func end(before new: TokenGrant, of user: UserID) async throws {
        guard let installation = new.detail.device?.installation else { return }
        try await directory.store.awaitWrite { connection in
            for grant in try Self.grants(of: user, after: .distantPast, on: connection)
            where grant.number < new.number && grant.backend == new.backend
                && grant.detail.registered?.installation == installation
            {
                _ = try Self.end(grant.device.id, of: user, on: connection)
            }
        }
    }

    fileprivate static func devices(of user: UserID, at now: Date, on connection: Connection) throws -> [Device] {
        try grants(of: user, after: now, on: connection).filter { $0.detail.registered != nil }.map(\.device)
    }

    fileprivate static func end(_ id: String, of user: UserID, on connection: Connection) throws -> Bool {
        var wasFound = false
        for grant in try grants(of: user, after: .distantPast, on: connection) {
            let isDevice = grant.detail.registered != nil && grant.device.id == id
            guard isDevice || grant.detail.registration == id else { continue }
            try connection.run(GrantStatements.delete, [.integer(grant.number)])
            wasFound = wasFound || isDevice
        }
        return wasFound
    }

    /// A grant of a user. The device has a meaning only if the grant is a registration.
    private struct UserGrant {
        let number: Int64
        let backend: BackendID
        let detail: GrantDetail
        let device: Device
    }

    private static func grants(of user: UserID, after: Date, on connection: Connection) throws -> [UserGrant] {
        let key: [Binding] = [.integer(user.rawValue), .integer(after.milliseconds)]
        return try connection.all(DeviceStatements.grants, key) { row in
            let detail = try GrantDetail(row.text(2))
            return UserGrant(
                number: row.integer(0), backend: BackendID(rawValue: row.integer(8)), detail: detail,
                device: Device(
                    id: Device.id(grant: row.integer(0), salt: row.text(1)), clientID: row.text(3), name: row.text(4),
                    version: row.text(5), profile: detail.registered ?? DeviceProfile(),
                    created: Date(milliseconds: row.integer(6)), expires: Date(milliseconds: row.integer(7))))
        }
    }
}

extension TransactionDevices {
    /// The registered devices of a user.
    ///
    /// - Throws: `notFound`, `notPermitted` for all who may not help the user.
    package func devices(of user: UserReference) throws -> [Device] {
        let user = try transaction.users.id(of: user)
        try transaction.checkHelping(user, to: "list the devices of others")
        return try DirectoryDevices.devices(of: user, at: transaction.now(), on: transaction.connection)
    }
}

extension Helper {
    /// Ends a registered device of the user, with all tokens that its app got by the registration.
    ///
    /// - Returns: Whether there was such a device.
    package func endDevice(_ id: String) throws -> Bool {
        guard try DirectoryDevices.end(id, of: user.id, on: transaction.connection) else { return false }
        try transaction.feed.record(
            .revoked, .user, id: user.id.rawValue, name: user.uid, before: nil, after: ["means": "register"])
        return true
    }
}
