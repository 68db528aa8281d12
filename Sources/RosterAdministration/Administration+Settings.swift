public import Foundation
import RosterText

extension Administration {
    /// A collection of settings that apply to a running server at once.
    public enum SettingCollection: String, Sendable, CaseIterable {
        /// The trusted issuers of tokens, with the types `jwt` and `saml`.
        case issuers
        /// The certificates of issuers.
        case certificates
        /// The identity providers, with the types `oidc` and `social`.
        case providers
        /// The policies, each with a `value`.
        case policies
    }

    /// A setting, without its secret.
    public struct Setting: Sendable, Hashable {
        /// Where a setting comes from.
        public enum Source: String, Sendable, CaseIterable {
            /// A document or an option with which the server was started. Such a setting cannot be changed here.
            case file
            /// An administrator, who stored the setting in the directory.
            case directory
            /// The standard value of a policy, which nobody has set.
            case standard
        }

        /// The name.
        public let name: String
        /// The type within the collection; nil for a collection of one type.
        public let type: String?
        /// Where the setting comes from.
        public let source: Source
        /// Whether the setting has a secret, which is not shown.
        public let hasSecret: Bool
        /// The time of the last change; nil for a setting that is not stored.
        public let changed: Date?
        /// Why the setting has no effect; nil if it has one.
        public let problem: String?
        /// The subjects of certificates; empty for other settings.
        public let subjects: [String]
        /// The first end of the certificates; nil for other settings.
        public let expires: Date?
        /// The setting as a JSON object. A stored one has the form that ``Administration/setSetting(_:type:in:to:)`` takes.
        public let entry: Data

        init(_ json: AnswerObject) throws {
            (name, type, source) = (try json.string("name"), json["type"]?.text, try json.choice("source"))
            (hasSecret, problem) = (json["has_secret"] == true, json["problem"]?.text)
            (changed, expires) = (try json.optionalDate("changed"), try json.optionalDate("expires"))
            subjects = json["subjects"]?.texts ?? []
            let others: Set = ["name", "type", "source", "has_secret", "changed", "problem", "subjects", "expires"]
            let entry = json["entry"] ?? .object(json.value.members.filter { !others.contains($0.name) })
            self.entry = Data(entry.bytes)
        }
    }

    /// A finding of the trial of an issuer or a provider.
    public struct TrialFinding: Sendable, Hashable {
        /// What the trial looked at: `discovery`, `endpoints` or `keys`.
        public let subject: String
        /// The address that the trial fetched; nil for none.
        public let url: String?
        /// The problem that the trial found; nil for none.
        public let problem: String?

        init(_ json: AnswerObject) throws {
            (subject, url, problem) = (try json.string("subject"), json["url"]?.text, json["problem"]?.text)
        }
    }

    /// Lists the settings of a collection.
    public func settings(_ collection: SettingCollection) async throws -> [Setting] {
        try await ask(ListSettings(collection.rawValue)).list(collection.rawValue) { try Setting($0) }
    }

    /// Stores a setting, which applies at once.
    ///
    /// - Parameters:
    ///   - name: The name of the setting.
    ///   - type: The type within the collection; nil for a collection of one type.
    ///   - collection: The collection.
    ///   - entry: The setting as a JSON object. Without its secret, the stored secret stays.
    /// - Returns: Whether the setting is new.
    /// - Throws: `invalidInput`, which names the field; `alreadyExists` if the server was started with an entry of that name;
    ///   `limitExceeded`, and the errors of ``Administration``.
    @discardableResult
    public func setSetting(
        _ name: String, type: String? = nil, in collection: SettingCollection, to entry: Data
    ) async throws -> Bool {
        try await ask(SetSetting(name, type: type, in: collection.rawValue, to: JSONDocument(entry))).bool("is_new")
    }

    /// Deletes a setting. A policy gets its standard value again.
    ///
    /// - Parameters:
    ///   - name: The name of the setting.
    ///   - type: The type within the collection; nil for a collection of one type.
    ///   - collection: The collection.
    public func deleteSetting(
        _ name: String, type: String? = nil, in collection: SettingCollection
    ) async throws {
        _ = try await run(DeleteSetting(name, type: type, in: collection.rawValue))
    }

    /// Sets several policies, all of them or none.
    ///
    /// - Parameter values: A JSON object with the names and the values of policies. `null` gives a policy its standard value again.
    /// - Throws: `invalidInput`, which names the policy; `alreadyExists` if the server was started with one of them, and the errors of
    ///   ``Administration``.
    public func setPolicies(_ values: Data) async throws { _ = try await run(SetPolicies(JSONDocument(values))) }

    /// Tries an issuer or a provider without storing it: the server fetches the documents that the entry names.
    ///
    /// - Parameters:
    ///   - entry: The setting as a JSON object.
    ///   - type: The type within the collection.
    ///   - collection: The collection: issuers or providers.
    /// - Returns: The findings in order. The first problem ends the trial.
    /// - Throws: `invalidInput`, which names the field, and the errors of ``Administration``.
    public func testSetting(
        _ entry: Data, type: String, in collection: SettingCollection
    ) async throws -> [TrialFinding] {
        try await ask(TestSetting(type: type, in: collection.rawValue, JSONDocument(entry)))
            .list("findings") { try TrialFinding($0) }
    }
}
