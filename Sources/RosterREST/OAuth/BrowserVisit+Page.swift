import RosterSignIn
import RosterText

/// Signing in for the page for people, which uses the session of the sign-in pages.
extension BrowserVisit {
    /// The place that the sign-in page leads to, as it is named there.
    var pageForPeople: String { pages.texts("the directory") }

    /// Goes to a view of the page for people, after the user has signed in.
    ///
    /// - Parameter form: `view` is the page's fragment. With `again`, the password is asked for although there is a session.
    func enterPage(_ form: Form) async throws -> HTTPResponse {
        let view = form["view"].flatMap(Self.view)
        let (session, again) = (try await session(), form["again"] != nil)
        if session != nil, !again { return toPage(view) }
        return try signInPage(
            .signIn, application: pageForPeople, ["view": .text(view)], name: again ? session?.name ?? "" : "")
    }

    func toPage(_ view: String?) -> HTTPResponse { BrowserAPI.redirect(to: "../" + (view.map { "#" + $0 } ?? ""), []) }

    /// A fragment of the page for people; nil for a text with characters that no fragment of that page has.
    private static func view(_ text: String) -> String? {
        let isKnown = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "-._~/%?=&".utf8.contains(byte)
        }
        return isKnown && text.utf8.count <= 512 ? text : nil
    }
}
