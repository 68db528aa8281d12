package import Foundation
import Roster
import RosterText

/// The providers with which people can sign in: a document with `oidc` as Couchbase Sync Gateway writes it, and `social` for the
/// mobile cloud's social login. A whole configuration of Sync Gateway is such a document, too: each of its `databases` has an
/// `oidc`, for the addresses `/{db}/_oidc`. Other settings of the configuration have no effect.
package struct IdentityProviders: Sendable, Hashable {
    package static let none = IdentityProviders()

    /// The providers by name.
    package private(set) var providers: [String: IdentityProvider] = [:]
    /// `default_provider`: the provider of a request that names none; nil if there are several and none is the default.
    package private(set) var defaultName: String?
    /// `databases`: the providers of each database; nil for a document without databases, whose providers are available at every
    /// address.
    package private(set) var databases: [String: Database]?
    /// `interface`: the address where Sync Gateway listens, such as `:4984`.
    package private(set) var interface: String?
    /// The social providers by their names in `Oracle-Mobile-Social-Identity-Provider`.
    package private(set) var social: [String: SocialProvider] = [:]
    /// The entries of ``providers`` and ``social`` as they were written.
    private(set) var entries: [String: JSONValue] = [:]
    private(set) var socialEntries: [String: JSONValue] = [:]
    /// Notes about the document, such as settings that have no effect here.
    package private(set) var notes: [String] = []

    /// A database of Sync Gateway's configuration.
    package struct Database: Sendable, Hashable {
        /// The names of its providers.
        fileprivate(set) var providers: Set<String>
        /// The provider of a request that names none.
        fileprivate(set) var defaultName: String?
    }

    private init() {}

    /// Reads the document.
    ///
    /// - Throws: `DirectoryError` `invalidInput`, which names the field.
    package init(document bytes: [UInt8]) throws {
        let json: JSONValue
        do {
            // Couchbase's example for the implicit flow has trailing commas.
            json = try JSONValue(strictly: bytes, allowsTrailingCommas: true)
        } catch {
            throw DocumentObject.problem("", "is not JSON in which each name occurs once.", "Correct it: \(error)")
        }
        var root = try DocumentObject(json, at: "")
        interface = try root.text("interface")
        let databases = root.value("databases")
        if let value = root.value("oidc") {
            guard databases == nil else {
                throw DocumentObject.problem("oidc", "is given beside databases.", "Move it into one of them.")
            }
            defaultName = try read(value, at: "oidc").defaultName
        }
        if let value = root.value("social") {
            guard case .object(let members) = value else { throw DocumentObject.mismatch("social", "an object", value) }
            for member in members {
                social[member.name] = try SocialProvider(
                    member.value, named: member.name, at: "social.\(member.name)")
                socialEntries[member.name] = member.value
            }
        }
        if let databases {
            try read(databases: databases, unused: root.remaining)
        } else {
            try root.finish()
        }
    }

    private mutating func read(databases value: JSONValue, unused: [String]) throws {
        guard case .object(let members) = value else {
            throw DocumentObject.mismatch("databases", "an object", value)
        }
        var unused = unused
        var all: [String: Database] = [:]
        for member in members {
            var database = try DocumentObject(member.value, at: "databases.\(member.name)")
            all[member.name] =
                try database.value("oidc").map { try read($0, at: database.path(of: "oidc")) }
                ?? Database(providers: [], defaultName: nil)
            unused += database.remaining
        }
        databases = all
        if !unused.isEmpty {
            notes.append("Sync Gateway's settings \(unused.joined(separator: ", ")) change nothing here.")
        }
    }

    /// Reads the document in a file.
    package init(contentsOf url: URL) throws {
        try self.init(document: DocumentObject.bytes(url, "providers document"))
    }

    private mutating func read(_ value: JSONValue, at path: String) throws -> Database {
        var object = try DocumentObject(value, at: path)
        let named = try object.text("default_provider")
        let list = try object.required(object.value("providers"), "providers")
        guard case .object(let members) = list else {
            throw DocumentObject.mismatch(object.path(of: "providers"), "an object", list)
        }
        try object.finish()
        var marked: [String] = []
        for member in members {
            try add(member, at: "\(path).providers.\(member.name)")
            if member.value["is_default"] == true { marked.append(member.name) }
        }
        let names = Set(members.map(\.name))
        let defaultName = named ?? marked.first ?? (names.count == 1 ? names.first : nil)
        if let defaultName, !names.contains(defaultName) {
            throw DocumentObject.problem(
                object.path(of: "default_provider"), "names no provider.", "Give the name of one.")
        }
        return Database(providers: names, defaultName: defaultName)
    }

    private mutating func add(_ member: JSONValue.Member, at path: String) throws {
        let provider = try IdentityProvider(member.value, named: member.name, at: path, notes: &notes)
        // Two databases may share a provider, which must be the same in both.
        if providers[member.name] == provider { return }
        guard providers[member.name] == nil else {
            throw DocumentObject.problem(
                path, "has the name of another database's provider, and other settings.", "Give it another name.")
        }
        if let other = providers.values.first(where: {
            $0.issuer == provider.issuer && $0.clientID == provider.clientID
        }) {
            throw DocumentObject.problem(
                path, "has the issuer and the client_id of '\(other.name)'.", "Leave one of them out.")
        }
        providers[member.name] = provider
        entries[member.name] = member.value
    }

    /// The same providers and one more. A provider that has the name already stays as it is.
    ///
    /// - Throws: `DirectoryError` `invalidInput`, which names the field.
    func adding(_ json: JSONValue, named name: String) throws -> IdentityProviders {
        guard providers[name] == nil else { return self }
        var all = self
        try all.add(JSONValue.Member(name, json), at: name)
        if all.providers.count == 1 { all.defaultName = name }
        all.databases = databases?.mapValues {
            Database(providers: $0.providers.union([name]), defaultName: $0.defaultName ?? name)
        }
        return all
    }

    /// The same providers and one more social provider. One that has the name already stays as it is.
    func adding(social json: JSONValue, named name: String) throws -> IdentityProviders {
        guard social[name] == nil else { return self }
        var all = self
        all.social[name] = try SocialProvider(json, named: name, at: name)
        return all
    }

    /// A provider by name, or the default one.
    ///
    /// - Parameter database: The database in an address `/{db}/…`; nil for our own pages, which offer all providers.
    package func provider(named name: String?, of database: String? = nil) -> IdentityProvider? {
        guard let databases, let database else { return (name ?? defaultName).flatMap { providers[$0] } }
        guard let own = databases[database], let name = name ?? own.defaultName, own.providers.contains(name) else {
            return nil
        }
        return providers[name]
    }

    /// Whether there are addresses of a database.
    package func hasDatabase(_ name: String) -> Bool { databases.map { $0[name] != nil } ?? true }

    /// The provider that issued a token, found by issuer and audience.
    func provider(of claims: JSONValue) -> IdentityProvider? {
        guard let issuer = claims["iss"]?.text else { return nil }
        let audiences = claims["aud"]?.texts ?? []
        return providers.values.first { $0.issuer == issuer && audiences.contains($0.clientID) }
    }
}
