/// A single sign-on agent: an app that signs users in for the other apps of its service domain.
package struct SignOnAgent: Sendable, Hashable {
    /// The agent's `client_id`.
    package let clientID: String
    /// The scheme that opens the agent.
    package let urlScheme: String
    /// The place among the agents of the domain; the lowest is asked.
    let priority: Int
}
