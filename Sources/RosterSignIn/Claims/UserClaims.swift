import Foundation
import Roster
import RosterText

/// The claims about people that apps get.
package struct UserClaims: Sendable {
    let directory: Directory
    let clock: @Sendable () -> Date
    let issuer: String
    let keys: KeyRing

    /// The claims that scopes allow about a person, mapped by the backend's rules.
    ///
    /// - Parameter names: The claims that the app asks for by name. Those of scopes that the backend may not have are left out.
    func userClaims(
        _ backend: Backend, _ person: Person, _ scopes: Set<Scope>, named names: [String] = []
    ) throws -> [JSONValue.Member] {
        let asked = names.filter { name in
            ClaimsRequest.scope(of: name).map { AuthorizationRequest.isAllowed($0, backend) } ?? false
        }
        func wants(_ claim: String) -> Bool {
            asked.contains(claim) || ClaimsRequest.scope(of: claim).map(scopes.contains) ?? false
        }
        var claims = person.claims(for: scopes.union(asked.compactMap { ClaimsRequest.scope(of: $0) }))
            .filter { wants($0.name) }
        if let id = person.id {
            if wants("updated_at"), let modified = person.modified {
                claims.append(.init("updated_at", .integer(Int64(modified.timeIntervalSince1970))))
            }
            if wants("picture"), let address = try pictureAddress(of: id) {
                claims.append(.init("picture", .string(address)))
            }
            if wants("email_verified"), let mail = person.attributes["mail"]?.text, !mail.isEmpty {
                claims.append(.init("email_verified", .boolean(try directory.signInRecords.isVerified(mail, of: id))))
            }
            // Nothing here calls a telephone number.
            if wants("phone_number_verified"), claims.contains(where: { $0.name == "phone_number" }) {
                claims.append(.init("phone_number_verified", false))
            }
        }
        if wants("roles") { claims.append(.init("roles", .texts(person.roles))) }
        if wants("groups") {
            claims.append(.init("groups", .array(try groups(of: person, as: backend.settings.groupsForm))))
        }
        guard let mapping = backend.settings.claims else { return claims }
        let mapped = try mapping.members(roles: person.roles) { attribute in
            // The manager is stored as a link, not as an attribute.
            guard attribute == "manager", let id = person.id else { return person.values(of: attribute) }
            let users = directory.acting(as: .administrator("sign-in")).users
            return try users.manager(of: .id(id), attributes: ["uid"]).map { [.string($0.uid)] } ?? []
        }
        // The backend's mappings replace claims with the same name.
        return claims.filter { claim in !mapped.contains { $0.name == claim.name } } + mapped
    }

    /// Whether tokens for these scopes name the roles of their user. Everybody who holds an access token can read it.
    func tellsRoles(_ scopes: [Scope], _ backend: Backend) -> Bool {
        backend.settings.claims?.roleClaimName != nil
            || scopes.contains { [.roles, .groups, .directory, .directoryManage].contains($0) || $0.isConsumer }
    }

    /// The effective roles of a person. A role that only the token of another issuer names has no identifier, and is left out
    /// where the app wants identifiers.
    private func groups(of person: Person, as form: BackendSettings.GroupsForm) throws -> [JSONValue] {
        guard form != .names else { return person.roles.map { .string($0) } }
        return try directory.acting(as: .administrator("sign-in")).read { session in
            try person.roles.compactMap { name in
                let role: Role
                do { role = try session.roles.role(.named(name)) } catch let error as DirectoryError
                    where error.code == .notFound
                { return nil }
                let id = JSONValue.string(role.id.description)
                return form == .identifiers ? id : ["id": id, "name": .string(role.name)]
            }
        }
    }
}
