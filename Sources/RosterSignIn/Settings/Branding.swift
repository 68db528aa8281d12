package import Roster
package import RosterText

/// What pages and mails show of the organization: its name, its colour and its logo. Each is a policy.
package struct Branding: Sendable, Hashable {
    /// The name; nil for an organization without a stored one.
    package internal(set) var name: String?
    /// The colour; nil for the standard one.
    package var color: Color?
    /// The logo; nil for none.
    package internal(set) var logo: Logo?

    /// The name that pages show: that of the organization, else that of the product.
    package var title: String { name ?? "Roster" }

    package init(name: String? = nil, color: Color? = nil, logo: Logo? = nil) {
        (self.name, self.color, self.logo) = (name, color, logo)
    }

    /// A colour of sRGB.
    package struct Color: Sendable, Hashable {
        package let red: UInt8
        package let green: UInt8
        package let blue: UInt8

        package init(red: UInt8, green: UInt8, blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }

        /// Reads `#rrggbb`; nil for any other text.
        package init?(_ text: String) {
            let digits = text.utf8.dropFirst()
            guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6,
                digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let number = UInt32(String(Substring(digits)), radix: 16)
            else { return nil }
            self.init(
                red: UInt8(number >> 16 & 0xFF), green: UInt8(number >> 8 & 0xFF), blue: UInt8(number & 0xFF))
        }

        /// The colour as `#rrggbb`.
        package var text: String {
            "#"
                + [red, green, blue].map { byte in
                    let digits = String(byte, radix: 16)
                    return digits.count == 1 ? "0" + digits : digits
                }.joined()
        }
    }

    /// A logo. Its type is known from its bytes.
    package struct Logo: Sendable, Hashable {
        package let bytes: [UInt8]
        package let mediaType: String
        package let width: Int
        package let height: Int
        /// A text that changes with the bytes.
        package var tag: String { String(FNV1a(bytes).value, radix: 16) }

        package static let maximumBytes = 64 << 10
        package static let sides = 16...2_048

        /// - Returns: nil if the bytes are no PNG, JPEG or WebP, if there are more of them than ``maximumBytes``, or if a side is shorter or
        ///   longer than ``sides``. An SVG is refused, because it can have scripts.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count <= Self.maximumBytes, let size = ImageSize(bytes), Self.sides.contains(size.width),
                Self.sides.contains(size.height)
            else { return nil }
            (self.bytes, mediaType, width, height) = (bytes, size.mediaType, size.width, size.height)
        }
    }
}

extension Branding {
    /// What everybody may know of the organization; null for what is not set. A logo is shown by its address.
    package var json: JSONValue {
        [
            "name": .text(name), "color": .text(color?.text), "logo": .text(logo.map { "branding/logo?tag=" + $0.tag }),
        ]
    }

    private static let policies: [String: ServicePolicy] = [
        "name": .organizationName, "color": .color, "logo": .logo,
    ]

    /// The policies of an object with `name`, `color` and `logo`, each of which can be missing.
    ///
    /// - Throws: `DirectoryError` `invalidInput` for another member.
    fileprivate static func policies(of object: JSONValue) throws -> [JSONValue.Member] {
        try object.members.map { member in
            guard let policy = policies[member.name] else {
                throw DirectoryError(
                    .invalidInput, "There is no '\(member.name)'.", advice: "Give name, color and logo.")
            }
            return JSONValue.Member(policy.rawValue, member.value)
        }
    }
}

extension SettingsKeeper {
    /// Stores the `name`, the `color` and the `logo` (in base64) of the organization in one transaction. A member that
    /// is left out stays as it is, and null removes one.
    ///
    /// - Throws: See ``store(policies:in:)``.
    package func store(branding: JSONValue, in view: DirectoryView) async throws {
        try await store(policies: Branding.policies(of: branding), in: view)
    }
}

extension ServicePolicy {
    private static let maximumName = 100

    /// The name of an organization.
    func organizationName(_ value: JSONValue) throws -> String {
        let name = try text(value)
        guard name.isPlainLine(ofAtMost: Self.maximumName) else {
            throw DocumentObject.problem(
                "value", "is no name of 1 to \(Self.maximumName) characters without control characters.",
                "Give a name such as Example Ltd., without spaces around it.")
        }
        return name
    }

    /// The colour of an organization.
    func color(_ value: JSONValue) throws -> Branding.Color {
        guard let color = Branding.Color(try text(value)) else {
            throw DocumentObject.problem("value", "is no colour.", "Give six digits after #, such as #1f5fbf.")
        }
        return color
    }

    /// The logo of an organization, in base64.
    func logo(_ value: JSONValue) throws -> Branding.Logo {
        guard let logo = Base64.bytes(try text(value)).flatMap({ Branding.Logo($0) }) else {
            throw DocumentObject.problem(
                "value",
                "is no PNG, JPEG or WebP of at most 64 KiB and of \(Branding.Logo.sides.lowerBound) to "
                    + "\(Branding.Logo.sides.upperBound) pixels a side, in base64.",
                "Choose another picture, or a smaller one.")
        }
        return logo
    }
}

extension StoredSetting {
    /// The entry of a setting as the change feed tells it. A logo and the states of views would fill the feed, which has a logo's tag and
    /// the names of views in their place.
    static func told(_ entry: JSONValue, _ kind: Kind, _ name: String) -> String {
        switch (kind == .policy ? ServicePolicy(rawValue: name) : nil, entry["value"]) {
        case (.logo, .string(let text)):
            return JSONValue.object([.init("tag", .string(String(FNV1a(text.utf8).value, radix: 16)))]).written
        case (.peopleViews, .array(let views)):
            return JSONValue.object([.init("views", .array(views.compactMap { $0["name"] }))]).written
        default: return entry.written
        }
    }
}
