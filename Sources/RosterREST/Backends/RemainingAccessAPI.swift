import RosterAdministration

/// The endpoints with which administrators see and end everything that a user made, when the user leaves or the account was
/// taken over.
enum RemainingAccessAPI {
    static let read = Endpoint(
        "What somebody made, holds and owns: backends, tokens, sessions, apps' grants, accounts with providers, roles."
    ) { $0.answering(ReadRemainingAccess(of: $0.arguments[0])) }

    static let end = Endpoint("End all of that at once. The answer tells what was ended.") {
        $0.answering(EndRemainingAccess(of: $0.arguments[0]))
    }
}
