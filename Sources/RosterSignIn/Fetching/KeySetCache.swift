import Foundation
import RosterOpenID
import RosterText

/// The published keys of issuers.
struct KeySetCache: Sendable {
    /// Issuers with the same address are fetched separately, because the document may be of one of them only.
    private struct Key: Hashable, Sendable {
        let source: KeySetSource
        let issuer: String
    }

    private let kept: FetchMemory<Key, VerificationKeySet>

    private let fetcher: DocumentFetcher

    init(by fetcher: DocumentFetcher, clock: @escaping @Sendable () -> Date) {
        self.fetcher = fetcher
        kept = FetchMemory(clock: clock)
    }

    /// The keys of an issuer, or the reason why there are none.
    ///
    /// - Parameters:
    ///   - issuer: The issuer that a discovery document must name.
    ///   - isMissing: Whether a key is needed that is not among the kept ones.
    func keys(
        from source: KeySetSource, issuer: String, isMissing: Bool
    ) async -> (keys: VerificationKeySet?, problem: String?) {
        do {
            let key = Key(source: source, issuer: issuer)
            let found = try await kept.value(of: key, by: source.reload, isMissing: isMissing) {
                try await fetch(source, issuer)
            }
            return (found.value, found.problem.map { "\($0)" })
        } catch {
            return (nil, "The request was cancelled.")
        }
    }

    private func fetch(_ source: KeySetSource, _ issuer: String) async throws -> VerificationKeySet {
        let address: String
        var isChosenByOthers = false
        switch source.location {
        case .keySet(let url): address = url
        case .discovery(let url):
            let document = try await fetcher.object(Self.request(url, source))
            guard document["issuer"]?.text == issuer else {
                throw DocumentFetcher.Problem(description: "The discovery document is of another issuer.")
            }
            guard let found = document["jwks_uri"]?.text else {
                throw DocumentFetcher.Problem(description: "The discovery document names no 'jwks_uri'.")
            }
            address = found
            isChosenByOthers = URL(string: found)?.host() != URL(string: url)?.host()
        }
        var request = Self.request(address, source)
        request.mustBePublic = isChosenByOthers
        // The secret is for the issuer's host only.
        if isChosenByOthers { request.authorization = nil }
        guard let keys = VerificationKeySet(try await fetcher.object(request)) else {
            throw DocumentFetcher.Problem(description: "What is at 'jwks_uri' is not a key set.")
        }
        return keys
    }

    private static func request(_ url: String, _ source: KeySetSource) -> DocumentFetcher.Request {
        var request = DocumentFetcher.Request(url)
        request.authorization = source.authorizationHeader
        request.allowsHTTP = source.allowsHTTP
        request.connectTimeoutSeconds = source.connectTimeoutSeconds
        request.readTimeoutSeconds = source.readTimeoutSeconds
        request.needsTLS13 = !source.tlsVersions.contains(.version12)
        return request
    }
}
