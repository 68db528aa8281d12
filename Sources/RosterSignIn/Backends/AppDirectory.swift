import Roster
import RosterStore
import RosterText

extension ClientDirectory {
    /// An enabled backend by its `client_id`, or by its name with the version 1.0; nil if there is none in the service domain. A
    /// `client_id` takes precedence over a name. Unknown and disabled backends cost the same.
    ///
    /// - Parameter serviceDomain: The domain that the app names; nil for any.
    package func app(_ text: String, in serviceDomain: String?) throws -> Backend? {
        guard text.utf8.count <= 256 else { return nil }
        let found = try all(BackendStatements.app, [.text(text)]).first
        guard let backend = found, backend.settings.isEnabled else { return nil }
        guard let serviceDomain, let own = backend.settings.app.serviceDomain else { return backend }
        return own.hasSameBytes(as: serviceDomain) ? backend : nil
    }

    /// The agent of a service domain; nil if the domain is unknown or has none. Cost: a look-up in a table that is made again when the
    /// directory has changed.
    package func agent(of serviceDomain: String) throws -> SignOnAgent? {
        let count = directory.commitCount
        if let known = agents.withLock({ $0 }), known.changes == count { return known.byDomain[serviceDomain] }
        var byDomain: [String: SignOnAgent] = [:]
        for backend in try all(BackendStatements.select, Backend.Key.all.bindings) where backend.settings.isEnabled {
            let policy = backend.settings.app
            guard let domain = policy.serviceDomain, let scheme = policy.urlScheme, let priority = policy.agentPriority,
                byDomain[domain].map({ priority < $0.priority }) ?? true
            else { continue }
            byDomain[domain] = SignOnAgent(clientID: backend.clientID, urlScheme: scheme, priority: priority)
        }
        agents.withLock { [byDomain] in $0 = (count, byDomain) }
        return byDomain[serviceDomain]
    }
}
