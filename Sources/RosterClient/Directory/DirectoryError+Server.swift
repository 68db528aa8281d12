package import Roster
package import RosterSecrets
import RosterText
package import RosterTransport

/// The errors of one attempt. `Attempts` decides whether a change may have been made in spite of the error.
extension DirectoryError {
    /// The directory's own error in an answer; nil if the answer has none.
    package init?(problem response: TransportResponse) {
        // The errors of a directory server are small. A large body is something else, and would take memory.
        guard response.body.count <= 1 << 16, let json = try? JSONValue(parsing: response.body),
            let error = DirectoryError(problem: json)
        else { return nil }
        // The directory of the server is closed when the server stops, and may be open again soon.
        self = error.code == .closed ? Self.stopping : error
    }

    /// The error for the status of an answer without an error of the directory.
    package init(status response: TransportResponse, canRenew: Bool) {
        let json = response.body.count <= 1 << 16 ? try? JSONValue(parsing: response.body) : nil
        let detail = json?["detail"]?.text.map { ShownText.plain($0) }
        switch response.status {
        case 401:
            self.init(
                .notSignedIn, detail ?? "The server does not accept the credentials.",
                advice: canRenew ? "Sign in again." : "Check the name and the password, or the token.")
        case 403: self.init(.notPermitted, detail ?? "The server refuses the caller.", advice: nil)
        case 404:
            self.init(
                .notOffered, detail ?? "The server has no directory at this address.",
                advice: "Check the server's address and version.")
        case 413:
            self.init(.limitExceeded, "The request is larger than the server accepts.", advice: "Send less at a time.")
        case 429: self.init(.overloaded, detail ?? "The server has too much to do.", advice: "Try again later.")
        case 502...504: self.init(.unreachable, "The server cannot answer now.", advice: "Try again later.")
        case 300..<400:
            self.init(
                .badAnswer, "The server redirects to another address. The credentials were not sent there.",
                advice: "Give the address at which the server answers itself.")
        default: self = .badAnswer(response, detail)
        }
    }

    package static func badAnswer(_ response: TransportResponse, _ detail: String? = nil) -> DirectoryError {
        DirectoryError(
            .badAnswer,
            detail ?? "The server answers with the status \(response.status), and not as a directory server does.",
            advice: "Check the server's address and version, and look at its log.")
    }

    /// The error for a request without an answer.
    package init(_ error: TransportError) {
        guard error.code != .tooLarge else {
            self.init(.badAnswer, error.message, advice: "Ask for less at a time, such as smaller pages.")
            return
        }
        let kind: Code.Kind =
            switch error.code {
            case .badURL, .badRequest: .invalidInput
            case .closed: .closed
            case .badAnswer: .badAnswer
            case .tlsFailed: .tls
            default: .unreachable
            }
        self.init(kind, error.message, advice: error.advice)
    }

    /// The error for an access token that could not be had.
    package init(_ error: ClientError) {
        let kind: Code.Kind =
            switch error.code {
            case .notSignedIn: .notSignedIn
            case .refused, .badConfiguration: .notPermitted
            case .unreachable, .serverFailed: .unreachable
            case .tls: .tls
            case .serverBusy: .overloaded
            case .badAnswer, .badToken, .clockWrong: .badAnswer
            default: .storageFailed
            }
        self.init(kind, error.message, advice: error.advice)
    }

    /// The error for an access token that the store of secrets does not give.
    package init(_ error: SecureStoreError) {
        self.init(error.code == .busyStore ? .overloaded : .storageFailed, error.message, advice: error.advice)
    }

    private static let stopping = DirectoryError(.unreachable, "The server is stopping.", advice: "Try again later.")
}
