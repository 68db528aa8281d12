import Foundation
import Roster
import RosterClient
import RosterSecrets
import RosterTransport
import Testing

@Suite("The articles about the client's session", .timeLimit(.minutes(2)))
struct ClientSessionTests {
    private let client: ServedClient
    private let authenticator: Authenticator
    private let store: SecureStore

    init() async throws {
        client = try await ServedClient()
        store = try client.store()
        authenticator = try Authenticator(
            AppRegistration(issuer: client.url, clientID: client.clientID), store: store)
    }

    private func open(_ url: URL) { client.browse(url) }

    @Test("The sign-in page gets options, and the account knows its user")
    func options() async throws {
        let options = SignInOptions(loginHint: "ada", prompts: [.consent], parameters: ["ui_locales": "de"])
        let account = try await authenticator.signIn(options: options) { loginURL in open(loginURL) }
        print(account.expiry ?? .now, account.claims?.name ?? "-", try await account.userInfo().email ?? "-")
        #expect(account.claims?.subject == account.subject)
    }

    @Test("The changes of accounts are followed")
    func events() async throws {
        let authenticator = authenticator
        let following = Task {
            for await event in authenticator.events {
                switch event {
                case .signedIn(let account, let name): print(name ?? "Somebody", "has signed in to", account)
                case .renewed(let account): print(account, "has new tokens")
                case .signedOut(let account, let name, let reason):
                    print(name ?? "Somebody", "has left", account, reason)
                }
            }
        }
        let account = try await authenticator.signIn(userName: "ada", password: ServedClient.password)
        _ = try await account.signOut()
        following.cancel()
        await following.value
    }

    private struct Note: Codable, Sendable { var text: String }

    @Test("An API gets JSON")
    func json() async throws {
        let account = try await authenticator.signIn(userName: "ada", password: ServedClient.password)
        let (client, api) = (try RESTClient(account, origins: [client.url]), client.url)
        let response = try await client.send("POST", api + "/notes", json: Note(text: "Hello"))
        print(response.status)
        #expect(response.status == 404)
    }
}
