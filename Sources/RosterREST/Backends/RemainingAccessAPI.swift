import Roster
import RosterSignIn

/// The endpoints with which administrators see and end everything that a user made, when the user leaves or the account was
/// taken over.
enum RemainingAccessAPI {
    static let read = Endpoint(
        "What somebody made, holds and owns: backends, tokens, sessions, apps' grants, accounts with providers, roles."
    ) { call in .now(.json(try call.view.read { try $0.remainingAccess.access(of: call.arguments[0]) }.json)) }

    static let end = Endpoint("End all of that at once. The answer tells what was ended.") {
        call in
        .later { .json(try await call.view.awaitWrite { try $0.remainingAccess.end(of: call.arguments[0]) }.json) }
    }
}
