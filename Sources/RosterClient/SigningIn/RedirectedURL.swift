import Foundation
import RosterText

/// The URL with which a browser comes back from the sign-in page (RFC 6749, section 4.1.2).
struct RedirectedURL: Sendable {
    /// What the sign-in page answers.
    enum Answer: Sendable {
        case code(String)
        /// The server or the user has refused. The registered error code; nil for an unknown one.
        case refusal(String?)
        /// Nothing that the protocol knows. The text says what is wrong, for people.
        case malformed(String)
    }

    /// The reason why a URL answers no sign-in that can be known.
    enum Problem: Error, Sendable {
        case noState
        case severalStates
        /// The state is that of no sign-in which waits for its answer.
        case otherState

        /// What is wrong with the URL, as the end of a sentence about it.
        var text: String {
            switch self {
            case .noState: "has no 'state'"
            case .severalStates: "has more than one 'state'"
            case .otherState: "has the 'state' of another sign-in"
            }
        }
    }

    /// The URL without query and fragment.
    let base: String
    let state: String
    /// `iss`, by which the server names itself (RFC 9207).
    let issuer: String?
    let answer: Answer

    /// Reads a URL.
    init(_ text: String) throws(Problem) {
        guard text.utf8.count <= 65_536 else { throw .noState }
        let whole = text.prefix { $0 != "#" }
        base = String(whole.prefix { $0 != "?" })
        let parameters = FormEncoding.parameters(whole.dropFirst(base.count + 1)) ?? []
        func values(_ name: String) -> [String] { parameters.filter { $0.name == name }.map { $0.value ?? "" } }
        let states = values("state")
        guard states.count <= 1 else { throw .severalStates }
        guard let state = states.first, (1...1_024).contains(state.utf8.count) else { throw .noState }
        self.state = state
        issuer = values("iss").first
        let (codes, errors) = (values("code"), values("error"))
        if let name = ["code", "error", "iss"].first(where: { values($0).count > 1 }) {
            answer = .malformed("more than one '\(name)'")
        } else if let error = errors.first {
            answer = .refusal(Self.refusals.contains(error) ? error : nil)
        } else if let code = codes.first {
            let isSound =
                (1...4_096).contains(code.utf8.count) && code.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            answer = isSound ? .code(code) : .malformed("a 'code' that is not a code")
        } else {
            answer = .malformed("neither a 'code' nor an 'error'")
        }
    }

    private static let refusals: Set<String> = [
        "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope",
        "server_error", "temporarily_unavailable", "login_required", "consent_required", "interaction_required",
        "account_selection_required", "invalid_target",
    ]
}
