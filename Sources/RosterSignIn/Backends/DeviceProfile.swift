package import RosterText

/// The facts about a device that a registration keeps (`deviceProfile` of Oracle's mobile SDK).
///
/// Nothing in a profile identifies the device beyond this app's installation. The SDK also sends the device's identifiers (UDID, IMEI,
/// MAC address), the phone number, the carrier, the location and the like. They are personal data that a registration does not need,
/// so they are dropped when a request is read, and never stored or logged.
public struct DeviceProfile: Sendable, Hashable, Codable {
    /// A fact that an ``AppPolicy`` can require.
    public enum Claim: String, Sendable, Hashable, CaseIterable {
        /// The platform.
        case platform
        /// The version of the operating system.
        case osVersion = "os_version"
        /// The version of the client library.
        case sdkVersion = "sdk_version"
        /// The random name of the installation.
        case installation = "installation_id"

        /// The names of the claim in a profile: the name in this server's own JSON, and the SDK's.
        fileprivate var names: [String] {
            switch self {
            case .platform: [rawValue, "oracle:idm:claims:client:ostype"]
            case .osVersion: [rawValue, "oracle:idm:claims:client:osversion"]
            case .sdkVersion: [rawValue, "oracle:idm:claims:client:sdkversion"]
            case .installation: [rawValue, "oracle:idm:claims:client:iosidforvendor"]
            }
        }

        /// The claim of a name, which may be the SDK's; nil for a fact that no registration keeps.
        init?(named name: String) {
            guard let claim = Self.allCases.first(where: { $0.names.contains(name) }) else { return nil }
            self = claim
        }
    }

    /// The platform, such as `iOS` or `Linux`; nil if the app does not tell it. The JSON names are `platform` and
    /// `oracle:idm:claims:client:ostype`.
    public var platform: String?
    /// The version of the operating system; nil if the app does not tell it. The JSON names are `os_version` and
    /// `oracle:idm:claims:client:osversion`.
    public var osVersion: String?
    /// The version of the client library; nil if the app does not tell it. The JSON names are `sdk_version` and
    /// `oracle:idm:claims:client:sdkversion`.
    public var sdkVersion: String?
    /// A random name that the app made for itself when it was installed; nil if the app has none. The JSON names are `installation_id` and
    /// `oracle:idm:claims:client:iosidforvendor`.
    public var installation: String?

    /// Makes a profile without facts.
    public init() {}

    /// The reason why a profile cannot be read. The text holds nothing of the profile.
    package struct Problem: Error, Sendable {
        package let text: String
    }

    /// Reads a profile from a request, and drops all other facts.
    ///
    /// - Throws: ``Problem`` for a fact that is not text of 1 to 64 visible characters of ASCII, or a text with spaces between them.
    package init(_ json: JSONValue) throws(Problem) {
        guard case .object = json else { throw Problem(text: "'deviceProfile' takes an object.") }
        for claim in Claim.allCases {
            guard let name = claim.names.first(where: { json[$0].map { !$0.isNull } ?? false }), let value = json[name]
            else { continue }
            guard let text = value.text, 1...64 ~= text.utf8.count, text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
                throw Problem(text: "'\(name)' of 'deviceProfile' takes a text of 1 to 64 characters of ASCII.")
            }
            self[claim] = text
        }
    }

    /// The value of a fact; nil if the app does not tell it.
    public subscript(claim: Claim) -> String? {
        get {
            switch claim {
            case .platform: platform
            case .osVersion: osVersion
            case .sdkVersion: sdkVersion
            case .installation: installation
            }
        }
        set {
            switch claim {
            case .platform: platform = newValue
            case .osVersion: osVersion = newValue
            case .sdkVersion: sdkVersion = newValue
            case .installation: installation = newValue
            }
        }
    }

    /// The facts as JSON, with null for those that the app did not tell.
    package var members: [JSONValue.Member] {
        Claim.allCases.map { .init($0.rawValue, self[$0].map { .string($0) } ?? .null) }
    }
}
