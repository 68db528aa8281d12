import Foundation
import RosterText

/// The URL with which a browser comes back from the sign-in page (RFC 6749, section 4.1.2).
struct RedirectedURL: Sendable {
    /// The URL without query and fragment.
    let base: String
    let state: String
    /// `iss`, by which the server names itself (RFC 9207).
    let issuer: String?
    /// The code; nil if the server refused.
    let code: String?
    /// The registered error code of a refusal; nil for an unknown one.
    let refusal: String?

    /// Reads a URL; nil for a URL that is no answer to an authorization request, or that has a parameter twice.
    init?(_ text: String) {
        guard text.utf8.count <= 65_536 else { return nil }
        let whole = text.prefix { $0 != "#" }
        base = String(whole.prefix { $0 != "?" })
        var values: [String: String] = [:]
        guard let parameters = FormEncoding.parameters(whole.dropFirst(base.count + 1)) else { return nil }
        for (name, value) in parameters {
            guard values.updateValue(value ?? "", forKey: name) == nil else { return nil }
        }
        guard let state = values["state"], (1...1_024).contains(state.utf8.count) else { return nil }
        self.state = state
        issuer = values["iss"]
        if let error = values["error"] {
            code = nil
            refusal = Self.refusals.contains(error) ? error : nil
        } else {
            guard let code = values["code"], (1...4_096).contains(code.utf8.count),
                code.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else { return nil }
            self.code = code
            refusal = nil
        }
    }

    private static let refusals: Set<String> = [
        "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope",
        "server_error", "temporarily_unavailable", "login_required", "consent_required", "interaction_required",
        "account_selection_required", "invalid_target",
    ]
}
