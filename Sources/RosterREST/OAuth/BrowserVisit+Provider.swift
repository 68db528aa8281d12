import Foundation
import RosterSignIn
import RosterCrypto

/// Signing in on our pages with another provider. The browser goes there and comes back, and continues with the request that the
/// page was shown for.
extension BrowserVisit {
    /// The cookie holds the state of the visit and the sealed content of the page while the browser is away.
    private var providerCookie: HostCookie { cookie("roster_provider") }
    private var callback: String { oauth.issuer + OAuthAPI.base + "/callback" }

    /// Sends the browser from a sign-in page to a provider.
    func leave(_ form: Form) async throws -> HTTPResponse {
        let sealed = try form.required("request")
        let (page, asked, session, _) = try kept(sealed)
        guard session == nil,
            let provider = call.context.relyingParty.providers.provider(named: try form.required("provider"))
        else { throw OAuthError(.invalidRequest, "There is no such provider. Begin again.") }
        // The provider has to fulfil the app's demands.
        let demands = page == Page.authorize.rawValue ? RelyingParty.Demands(try request(asked)) : nil
        return try await told(provider) {
            let visit = try await call.context.relyingParty.begin(
                provider, callback: callback, isOffline: false, demands: demands)
            let value = visit.state + "~" + sealed
            // Browsers keep 4,096 bytes of a cookie (RFC 6265, section 6.1).
            guard value.utf8.count <= 3_900 else {
                throw OAuthError(.invalidRequest, "The app's request is too long for that. Sign in with a password.")
            }
            return BrowserAPI.redirect(
                to: visit.url, [],
                headers: ["Set-Cookie": providerCookie.field(value, maximumAge: Int(RelyingParty.patience))])
        }
    }

    /// Receives the browser that comes back from a provider.
    func comeBack(_ query: Form) async throws -> HTTPResponse {
        let relyingParty = call.context.relyingParty
        let stale = OAuthError(.invalidRequest, "This sign-in was not begun in this browser, or too long ago.")
        guard let state = query["state"], let value = providerCookie.value(in: call.request),
            let mark = value.firstIndex(of: "~"), constantTimeEqual(String(value[..<mark]), state),
            let provider = try relyingParty.provider(ofState: state)
        else { throw stale }
        let (name, asked, session, _) = try kept(String(value[value.index(after: mark)...]))
        guard session == nil, let page = Page(rawValue: name) else { throw stale }
        guard query["error"] == nil, let code = query["code"] else {
            throw OAuthError(
                .accessDenied, told("{{provider}} let nobody in. Go back, and sign in another way.", provider))
        }
        return try await told(provider) {
            let (person, time) = try await relyingParty.person(
                provider, .init(code: code, state: state, issuer: query["iss"], callback: callback),
                from: call.origin)
            var response = try await continueRequest(as: person, ["fed"], at: time, asked, page)
            response.headers.add("Set-Cookie", providerCookie.field("", maximumAge: 0))
            return response
        }
    }

    private static let unusable = "{{provider}} could not be used. Go back, and sign in another way."

    /// A text about a provider in the user's language.
    private func told(_ english: String, _ provider: IdentityProvider) -> String {
        pages.texts(english, ["provider": provider.name])
    }

    /// Turns a refusal into a text for the user.
    private func told(
        _ provider: IdentityProvider, _ work: () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        do {
            return try await work()
        } catch let refusal as RelyingParty.Refusal {
            let text: String
            switch refusal {
            case .provider:
                return try pages.answer("That did not work", told(Self.unusable, provider), status: 502)
            case .stale: text = "This sign-in was not begun in this browser, or too long ago. Begin again."
            case .badToken: text = told(Self.unusable, provider)
            case .notAsAsked:
                text = told(
                    """
                    The app wants you to sign in anew, and {{provider}} does not say that you did. Begin again, or sign \
                    in with a password.
                    """, provider)
            case .notAdmitted: text = told("Nobody here is known as who signed in with {{provider}}.", provider)
            }
            throw OAuthError(.accessDenied, text)
        }
    }
}
