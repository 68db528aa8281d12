import Foundation
import Roster
import RosterWire

/// The published keys of issuers: fetched when they are needed and not there, or too old, and by one caller at a time.
actor KeySetCache {
    private struct Entry {
        var keys: VerificationKeySet?
        var lastLoad: Date?
        var lastAttempt: Date?
        var problem: String?
        var loading: Task<Void, Never>?
    }

    private var entries: [KeySetSource: Entry] = [:]
    private let fetcher = DocumentFetcher()
    private let clock: @Sendable () -> Date

    init(clock: @escaping @Sendable () -> Date) { self.clock = clock }

    /// The keys of an issuer, or why there are none.
    ///
    /// - Parameters:
    ///   - issuer: What a discovery document must say that it is of.
    ///   - isMissing: Whether a key is needed that was not among those that were had before.
    func keys(
        from source: KeySetSource, issuer: String, isMissing: Bool
    ) async -> (keys: VerificationKeySet?, problem: String?) {
        // A document that is reloaded with other sources leaves old ones here; they are few, and then none.
        if entries.count > 1_000 { entries = [:] }
        let entry = entries[source] ?? Entry()
        if let loading = entry.loading {
            await loading.value
        } else if source.reload.shouldReload(
            lastLoad: entry.lastLoad, lastAttempt: entry.lastAttempt, isMissing: isMissing, now: clock())
        {
            let task = Task { await load(source, issuer) }
            entries[source, default: Entry()].loading = task
            await task.value
        }
        let now = entries[source]
        return (now?.keys, now?.problem)
    }

    private func load(_ source: KeySetSource, _ issuer: String) async {
        var entry = entries[source] ?? Entry()
        entry.loading = nil
        entry.lastAttempt = clock()
        do {
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
            // What is meant for the issuer's host is none of another one's business.
            if isChosenByOthers { request.authorization = nil }
            guard let keys = VerificationKeySet(try await fetcher.object(request)) else {
                throw DocumentFetcher.Problem(description: "What is at 'jwks_uri' is no key set.")
            }
            entry.keys = keys
            entry.lastLoad = clock()
            entry.problem = nil
        } catch {
            // The old keys stay in use: that a provider does not answer for a while signs nobody out.
            entry.problem = "\(error)"
        }
        entries[source] = entry
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
