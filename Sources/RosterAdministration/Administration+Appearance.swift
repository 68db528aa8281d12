public import Foundation
import RosterText

/// What pages show of the organization, and the views of the people that everybody can choose.
extension Administration {
    /// What pages and mails show of the organization.
    public struct Branding: Sendable, Hashable {
        /// The name; nil for the product's name.
        public var name: String?
        /// The colour as `#rrggbb`; nil for the standard one.
        public var color: String?
        /// The logo: a PNG, JPEG or WebP of at most 64 KiB; nil for none.
        public var logo: Data?

        /// Makes a branding.
        public init(name: String? = nil, color: String? = nil, logo: Data? = nil) {
            (self.name, self.color, self.logo) = (name, color, logo)
        }

        init(_ json: AnswerObject) {
            (name, color) = (json["name"]?.text, json["color"]?.text)
            logo = json["logo_data"]?.text.flatMap { Data(base64Encoded: $0) }
        }
    }

    /// A view of the people with a name.
    public struct PeopleView: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The words, the filters, the order and the columns, as they follow the question mark in the page's address.
        public let state: String

        init(_ json: AnswerObject) throws { (name, state) = (try json.string("name"), try json.string("state")) }
    }

    /// Reads what pages show of the organization.
    public func branding() async throws -> Branding { Branding(try await ask(ReadBranding())) }

    /// Sets what pages show of the organization. What is nil is taken away.
    ///
    /// - Throws: `invalidInput`, which names the policy, such as `organization_color`, and the errors of ``Administration``.
    public func setBranding(_ branding: Branding) async throws {
        let logo = branding.logo.map { $0.base64EncodedString() }
        _ = try await run(
            SetBranding(
                JSONDocument(["name": .text(branding.name), "color": .text(branding.color), "logo": .text(logo)])))
    }

    /// Lists the views of the people that everybody can choose.
    public func peopleViews() async throws -> [PeopleView] {
        try await ask(ListViews()).list("views") { try PeopleView($0) }
    }

    /// Saves a view of the people for everybody.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - state: What follows the question mark in the page's address, such as `q=lead&sort=title`.
    ///   - former: The name that the view had, to rename it; nil for the same one.
    /// - Throws: `invalidInput`, `limitExceeded`, `alreadyExists` for a name that another view has, and the errors of ``Administration``.
    public func setPeopleView(_ name: String, state: String, former: String? = nil) async throws {
        _ = try await run(SetView(name, state: state, former: former))
    }

    /// Deletes a view of the people for everybody.
    public func deletePeopleView(_ name: String) async throws { _ = try await run(DeleteView(name)) }
}
