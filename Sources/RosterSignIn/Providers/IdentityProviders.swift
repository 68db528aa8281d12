package import Foundation
import Roster
import RosterWire

/// Whom people can sign in with besides us: the document of `roster serve --providers`, with `oidc` as Couchbase Sync Gateway
/// writes it and `social` for the mobile cloud's social login.
package struct IdentityProviders: Sendable, Hashable {
    /// Nobody.
    package static let none = IdentityProviders()

    /// By name.
    package private(set) var providers: [String: IdentityProvider] = [:]
    /// `default_provider`: whom a request means that names none; nil where there are several and none is it.
    package private(set) var defaultName: String?
    /// By the name that `Oracle-Mobile-Social-Identity-Provider` has.
    package private(set) var social: [String: SocialProvider] = [:]
    /// What a reader of the document should know, such as what is not used here.
    package private(set) var notes: [String] = []

    private init() {}

    /// Reads the document.
    ///
    /// - Throws: `DirectoryError` `invalidInput`, which names the field.
    package init(document bytes: [UInt8]) throws {
        let json: JSONValue
        do {
            json = try JSONValue(strictly: bytes)
        } catch {
            throw DocumentObject.problem("", "is no JSON in which each name stands once.", "Correct it: \(error)")
        }
        var root = try DocumentObject(json, at: "")
        if let value = root.value("oidc") { try read(value) }
        if let value = root.value("social") {
            guard case .object(let members) = value else { throw DocumentObject.mismatch("social", "an object", value) }
            for member in members {
                social[member.name] = try SocialProvider(
                    member.value, named: member.name, at: "social.\(member.name)")
            }
        }
        try root.finish()
    }

    /// Reads the document in a file.
    package init(contentsOf url: URL) throws {
        guard let data = try? Data(contentsOf: url) else {
            throw DirectoryError(
                .fileNotFound, "The providers document '\(url.path)' cannot be read.", advice: "Check the path.")
        }
        try self.init(document: Array(data))
    }

    private mutating func read(_ value: JSONValue) throws {
        var object = try DocumentObject(value, at: "oidc")
        let named = try object.text("default_provider")
        let list = try object.required(object.value("providers"), "providers")
        guard case .object(let members) = list else {
            throw DocumentObject.mismatch("oidc.providers", "an object", list)
        }
        try object.finish()
        var marked: [String] = []
        for member in members {
            let path = "oidc.providers.\(member.name)"
            let provider = try IdentityProvider(member.value, named: member.name, at: path, notes: &notes)
            if let other = providers.values.first(where: {
                $0.issuer == provider.issuer && $0.clientID == provider.clientID
            }) {
                throw DocumentObject.problem(
                    path, "has the issuer and the client_id of '\(other.name)'.", "Leave one of them out.")
            }
            providers[member.name] = provider
            if member.value["is_default"] == true { marked.append(member.name) }
        }
        defaultName = named ?? marked.first ?? (providers.count == 1 ? providers.keys.first : nil)
        if let name = defaultName, providers[name] == nil {
            throw DocumentObject.problem("oidc.default_provider", "names no provider.", "Give the name of one.")
        }
    }

    /// The same with a provider that is added.
    func adding(_ json: JSONValue, named name: String) throws -> IdentityProviders {
        guard providers[name] == nil else { return self }
        var all = self
        all.providers[name] = try IdentityProvider(json, named: name, at: name, notes: &all.notes)
        if all.providers.count == 1 { all.defaultName = name }
        return all
    }

    /// A provider by name, or the default one.
    package func provider(named name: String?) -> IdentityProvider? {
        (name ?? defaultName).flatMap { providers[$0] }
    }

    /// The provider that a token is from: by issuer and audience.
    func provider(of claims: JSONValue) -> IdentityProvider? {
        guard let issuer = claims["iss"]?.text else { return nil }
        let audiences = claims["aud"]?.text.map { [$0] } ?? claims["aud"]?.elements.compactMap(\.text) ?? []
        return providers.values.first { $0.issuer == issuer && audiences.contains($0.clientID) }
    }
}
