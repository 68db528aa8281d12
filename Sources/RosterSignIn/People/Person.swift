package import Foundation
public import Roster
package import RosterText

/// A person who has signed in, or who is named by a token: a user of the directory, or a virtual user, for whom another issuer
/// vouches. The value does not change when the directory does.
public struct Person: Sendable {
    /// The user or virtual user.
    package let holder: Holder
    /// The name. The name of a virtual user is chosen by the issuer, and may also be the name of a user of the directory. So only
    /// the virtual user's own profile shows it.
    public let name: String
    /// The name that tokens (`preferred_username`), introspection, sessions, the log and the change feed show. For a virtual user,
    /// the name consists of issuer and subject, such as `virtual https://idp.example.com#mira`. No user can have such a name.
    public var shownName: String {
        origin.map { Caller.shownName(issuer: $0.issuer, subject: $0.subject) } ?? name
    }
    /// The names of the person's roles: first the roles in the directory, then the roles from tokens of other issuers, each with
    /// the roles that it is nested in. No role from a token leads to the administrators' role.
    public let roles: [String]
    /// The attributes of a user; none of a virtual user.
    public let attributes: AttributeSet
    /// The time of the last change of a user; nil for a virtual user.
    let modified: Date?
    /// The issuer that vouches for a virtual user, and the issuer's identifier of that user; nil for a user of the directory.
    public let origin: (issuer: String, subject: String)?

    /// The authentication methods (RFC 8176); empty if they are not known.
    public internal(set) var amr: [String] = []
    /// The time when the person proved who they are; nil if it is not known.
    package internal(set) var signedIn: Date?
    /// The password that the person proved to know in this sign-in; nil for another way to sign in.
    package internal(set) var version: CredentialVersion?

    /// The user; nil for a virtual user.
    public var id: UserID? {
        if case .user(let id) = holder { id } else { nil }
    }

    /// `sub`, which nobody else ever gets (OpenID Connect Core, section 2).
    public var subject: String { holder.description }

    /// The caller for `Directory.acting(as:)`.
    public var caller: Caller {
        switch holder {
        case .user(let id): .user(id)
        case .virtualUser: .virtualUser(issuer: origin?.issuer ?? "", subject: origin?.subject ?? "")
        }
    }

    /// The person as the directory knows them now; nil if the account is deleted, disabled, or outside its dates. Cost: some ten microseconds.
    ///
    /// - Parameter granted: The roles that the issuer of an exchanged token gave a user.
    package init?(_ holder: Holder, in directory: Directory, granted: [String] = []) throws {
        self.holder = holder
        switch holder {
        case .user(let id):
            let found: (User, [String])
            do {
                found = try directory.acting(as: .administrator("sign-in")).read { session in
                    (try session.users.user(.id(id)), try session.roles.memberships(of: id).map(\.role.name))
                }
            } catch let error as DirectoryError where error.code == .notFound {
                return nil
            }
            guard found.0.isActive, AccountDates(found.0.attributes).contain(directory.now) else { return nil }
            name = found.0.uid
            var roles = found.1
            // The roles of providers have no mappings.
            let provided = try directory.holders.tokenRoles(of: id).map { GrantedRole($0, isMapped: false) }
            for role in try directory.grants.effective(directory.grants.accepted(provided) + granted)
            where !roles.contains(role) { roles.append(role) }
            self.roles = roles
            attributes = found.0.attributes
            modified = found.0.modified
            origin = nil
        case .virtualUser(let id):
            guard let user = try directory.holders.virtualUser(id) else { return nil }
            name = user.name
            roles = try directory.grants.effective(user.roles)
            attributes = [:]
            modified = nil
            origin = (user.issuer, user.subject)
        }
    }

    /// Whether a claim can take its values from an attribute. Every attribute in a user's record qualifies, and so do the
    /// user's name and manager, which the directory stores apart from the record.
    static func hasValues(of attribute: String, _ vocabulary: Vocabulary) -> Bool {
        if ["uid", "manager"].contains(attribute) { return true }
        let name = AttributeName(attribute)
        return vocabulary.definition(of: name)?.name == name && !Vocabulary.system.contains(name)
    }

    /// The values of an attribute, or of a view such as `mail`, for claims. `uid` has the shown name.
    func values(of attribute: String) -> [JSONValue] {
        if attribute == "uid" { return [.string(shownName)] }
        return Self.values(attributes[AttributeName(attribute)])
    }

    private static func values(_ value: AttributeValue?) -> [JSONValue] {
        switch value {
        case .list(let elements)?: elements.flatMap { values($0) }
        case .boolean(let isTrue)?: [.boolean(isTrue)]
        case .integer(let number)?: [.integer(number)]
        case let other?: other.text.map { [.string($0)] } ?? []
        case nil: []
        }
    }

    /// The standard claims that a scope asks for (OpenID Connect Core, section 5.4).
    package func claims(for scopes: Set<Scope>) -> [JSONValue.Member] {
        var claims: [JSONValue.Member] = []
        func add(_ claim: String, _ attribute: AttributeName) {
            add(claim, text: attributes[attribute]?.text)
        }
        func add(_ claim: String, text: String?) {
            if let text, !text.isEmpty { claims.append(.init(claim, .string(text))) }
        }
        if scopes.contains(.profile) {
            claims.append(.init("preferred_username", .string(shownName)))
            claims.append(
                .init("name", .string(attributes["displayName"]?.text ?? attributes["commonName"]?.text ?? name)))
            add("given_name", "givenName")
            add("family_name", "familyName")
            add("middle_name", "middleName")
            add("nickname", "nickName")
            add("profile", "profileUrl")
            add("locale", text: (attributes["locale"] ?? attributes["preferredLanguage"])?.text)
            add("zoneinfo", "timezone")
        }
        if scopes.contains(.email) { add("email", "mail") }
        if scopes.contains(.phone) { add("phone_number", text: preferred("phoneNumbers")?.text) }
        if scopes.contains(.address), let address = preferred("addresses") {
            let parts = [
                ("formatted", "formatted"), ("street_address", "streetAddress"), ("locality", "locality"),
                ("region", "region"), ("postal_code", "postalCode"), ("country", "country"),
            ]
            let members = parts.compactMap { claim, part in
                address.part(part)?.text.map { JSONValue.Member(claim, .string($0)) }
            }
            if !members.isEmpty { claims.append(.init("address", .object(members))) }
        }
        return claims
    }

    /// The primary element of a list; without one, the element for work, or else the first one.
    private func preferred(_ list: AttributeName) -> AttributeValue? {
        let elements = attributes[list]?.elements ?? []
        return elements.first(where: \.isPrimary)
            ?? elements.first { $0.part("type")?.text?.lowercased() == "work" } ?? elements.first
    }
}
