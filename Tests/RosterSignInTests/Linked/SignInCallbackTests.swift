import Foundation
import Roster
import RosterSignIn
import Testing
import TestSupport

@Suite("Calls of sign-in from a callback of the directory", .timeLimit(.minutes(1)))
struct SignInCallbackTests {
    private static let password = "a staple of horses"
    private static let seed = "{\"people\": [{\"uid\": \"ada\", \"password\": \"\(password)\"}]}"

    /// The outcome of a call that the callback waits for: nil for success, and "waits" if the call never ends.
    private static func outcome(_ call: @escaping @Sendable () async throws -> Void) -> String? {
        let done = DispatchSemaphore(value: 0)
        let found = Gathered<String?>()
        Task {
            do {
                try await call()
                found.append(nil)
            } catch {
                found.append((error as? DirectoryError)?.code.description ?? "\(error)")
            }
            done.signal()
        }
        guard done.wait(timeout: .now() + 10) == .success else { return "waits" }
        return found.all.first ?? nil
    }

    @Test("Each call works or says that it would wait for itself; none waits for ever", arguments: Place.allCases)
    func inCallbacks(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let signIn = try await SignIn.forTests(directory, seed: Self.seed)
            let view = directory.unrestricted
            let ada = try await signIn.person(named: "ada", password: Self.password)
            let client = try await signIn.createBackend(named: "shop", in: view).clientID
            let tokens = try await signIn.tokens(for: ada, clientID: client)
            let session = try await signIn.beginSession(for: ada)
            let user = try #require(ada.id)
            let calls: [(name: String, call: @Sendable () async throws -> Void)] = [
                ("right password", { _ = try await signIn.person(named: "ada", password: Self.password) }),
                ("wrong password", { _ = try await signIn.person(named: "ada", password: "wrong") }),
                ("set password", { try await signIn.setPassword("another staple", of: "ada", in: view) }),
                ("begin session", { _ = try await signIn.beginSession(for: ada) }),
                ("session", { _ = try await signIn.person(ofSession: session) }),
                ("end session", { try await signIn.endSession("none") }),
                ("tokens", { _ = try await signIn.tokens(for: ada, clientID: client) }),
                (
                    "refresh",
                    { _ = try await signIn.tokens(.refreshToken(tokens.refreshToken ?? ""), clientID: client) }
                ),
                ("check", { _ = try signIn.check(accessToken: tokens.accessToken, allowing: .profile) }),
                ("revoke", { try await signIn.revoke(tokens.accessToken, clientID: client) }),
                (
                    "questions",
                    {
                        try await signIn.secondFactors.setQuestions(
                            [("First pet?", "Babbage"), ("First engine?", "Difference")], for: user)
                    }
                ),
                ("create", { _ = try await signIn.createBackend(named: "other", in: view) }),
                ("backends", { _ = try await signIn.backends(in: view) }),
                ("load", { try await signIn.load(Seed(json: Data(Self.seed.utf8), name: "s"), in: view) }),
                ("rotate", { try signIn.rotateKey() }),
                ("another", { _ = try SignIn(directory, issuer: "https://b.example.com", passwordCost: .forTests) }),
                ("tidy", { try await signIn.tidyUp() }), ("sign out", { try await signIn.signOutEverywhere(user) }),
                ("flush", { await signIn.flush() }),
            ]
            let outcomes = Gathered<(String, String?)>()
            let loaded = [NewUser("bob")]
            try await view.users.load(loaded) { _ in
                for (name, call) in calls { outcomes.append((name, Self.outcome(call))) }
            }
            #expect(outcomes.all.count == calls.count)
            for (name, outcome) in outcomes.all {
                let isGood =
                    outcome == nil || outcome == "reentrant_call"
                    || ["wrong password", "refresh", "revoke"].contains(name) && outcome != "waits"
                #expect(isGood, "\(name): \(outcome ?? "")")
            }
            // After the callback everything works, and the feed has the events of the callback.
            #expect(try await signIn.person(ofSession: session)?.name == "ada")
            await signIn.flush()
            #expect(try await view.changes.since(0).contains { $0.kind == .signedIn })
            #expect(throws: DirectoryError.self) { try view.transaction { _ in try signIn.rotateKey() } }
        }
    }
}
