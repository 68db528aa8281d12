package import RosterTransport

/// The errors of requests to servers.
extension ClientError {
    /// The error for a request that got no answer.
    package init(_ error: TransportError) {
        let (kind, advice): (Code.Kind, String) =
            switch error.code.kind {
            case .badURL, .badRequest: (.badConfiguration, error.advice)
            case .badAnswer, .tooLarge: (.badAnswer, Self.wrongServer)
            case .tlsFailed: (.tls, error.advice)
            default: (.unreachable, error.advice)
            }
        self.init(kind, error.message, advice: advice, mayHaveBeenSent: error.mayHaveBeenSent)
    }
}
