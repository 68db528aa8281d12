import RosterTransport

/// The errors of requests to servers.
extension ClientError {
    /// The error for a request that got no answer.
    init(_ error: TransportError) {
        switch error.code.kind {
        case .badURL, .badRequest: self.init(.badConfiguration, error.message, advice: error.advice)
        case .badAnswer, .tooLarge: self.init(.badAnswer, error.message, advice: Self.wrongServer)
        default: self.init(.unreachable, error.message, advice: error.advice)
        }
    }
}
