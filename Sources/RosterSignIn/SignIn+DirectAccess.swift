public import Foundation
import Roster
import RosterText

extension SignIn {
    /// The rules for calls without a backend: with a user's name and password, a session, the token of a program, or an id token
    /// of a provider.
    public struct DirectAccess: Sendable {
        /// Whether HTTP Basic is accepted without `Oracle-Mobile-Backend-ID`. With that field, the setting `http_basic` of the
        /// backend decides.
        public var allowsBasic = true
        /// The document with the rules: `{"apis": {…}}`, as in the settings of a backend. It is read once. With nil, such calls
        /// may use every API.
        public var apis: URL?

        /// Allows HTTP Basic, and every API.
        public init(allowsBasic: Bool = true, apis: URL? = nil) {
            self.allowsBasic = allowsBasic
            self.apis = apis
        }

        package func read() throws -> DirectRules {
            guard let apis else { return DirectRules(allowsBasic: allowsBasic) }
            return try DirectRules(
                allowsBasic: allowsBasic, document: DocumentObject.bytes(apis, "document of APIs"))
        }
    }
}

/// The rules for calls without a backend.
package struct DirectRules: Sendable {
    /// Whether HTTP Basic is accepted without a backend.
    package let allowsBasic: Bool
    /// The rules by the names of our APIs; nil if every API may be called.
    package let apis: [String: APIRule]?

    package init(allowsBasic: Bool = true) {
        self.allowsBasic = allowsBasic
        apis = nil
    }

    /// Reads the document.
    ///
    /// - Throws: `DirectoryError` `invalidInput`, which names the field.
    package init(allowsBasic: Bool = true, document: [UInt8]) throws {
        let json = try JSONValue(strictly: document)
        let rules = try APIRule.rules(json["apis"] ?? json, at: "apis")
        for (name, rule) in rules.sorted(by: { $0.key < $1.key }) {
            guard APIRule.needingLogin.contains(name) || name == "mobile" else {
                throw DocumentObject.problem(
                    "apis.\(name)", "is no API of this server.", "Name userprofile, scim, mobile or directory.")
            }
            guard rule.requiresLogin else {
                throw DocumentObject.problem(
                    "apis.\(name).login_required", "is false, but without a backend there is no anonymous key.",
                    "Leave it out, and have anonymous calls come by way of a backend.")
            }
        }
        self.allowsBasic = allowsBasic
        apis = rules
    }
}
