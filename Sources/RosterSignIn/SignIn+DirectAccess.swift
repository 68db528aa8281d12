public import Foundation
import Roster
import RosterText

extension SignIn {
    /// The rules for calls without a backend: with a user's name and password, a session, the token of a program, or an id token
    /// of a provider.
    public struct DirectAccess: Sendable, Hashable {
        /// Whether HTTP Basic is accepted without `Oracle-Mobile-Backend-ID`; true by default. With that field, the setting
        /// ``BackendSettings/allowsBasic`` of the backend decides.
        public var allowsBasic = true
        /// The rules of the APIs that may be called without a backend. With nil, the default, such calls may use every API without
        /// rules. An API that is not named here may not be called. Every rule must require a login, because an anonymous call
        /// needs a backend.
        public var apis: [APIName: APIRule]?

        /// Makes the rules; by default HTTP Basic and every API are allowed.
        public init(allowsBasic: Bool = true, apis: [APIName: APIRule]? = nil) {
            self.allowsBasic = allowsBasic
            self.apis = apis
        }

        /// Makes the rules with those of APIs from a JSON document: `{"apis": {…}}`, as in the JSON form of ``BackendSettings``.
        ///
        /// - Throws: `DirectoryError` `fileNotFound`, or `invalidInput`, which names the field.
        public init(allowsBasic: Bool = true, apisIn url: URL) throws {
            try self.init(allowsBasic: allowsBasic, document: DocumentObject.bytes(url, "document of APIs"))
        }

        package init(allowsBasic: Bool = true, document: [UInt8]) throws {
            let json = try JSONValue(strictly: document)
            self.init(allowsBasic: allowsBasic, apis: try APIRule.rules(json["apis"] ?? json, at: "apis"))
            try check()
        }

        /// Refuses rules for unknown APIs, and rules that no call can fulfil.
        ///
        /// - Throws: `DirectoryError` `invalidInput`, which names the field.
        func check() throws {
            for (name, rule) in (apis ?? [:]).sortedByName {
                guard APIName.needingLogin.contains(name) || name == .mobile else {
                    throw DocumentObject.problem(
                        "apis.\(name)", "is not an API of this server.", "Name userprofile, scim, mobile or directory.")
                }
                guard rule.requiresLogin else {
                    throw DocumentObject.problem(
                        "apis.\(name).login_required", "is false, but without a backend there is no anonymous key.",
                        "Leave it out, and send anonymous calls through a backend.")
                }
            }
        }
    }
}
