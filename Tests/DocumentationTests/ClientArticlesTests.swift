import Dispatch
import Foundation
import Roster
import RosterAdministration
import RosterClient
import RosterMobileSDK
import RosterSecrets
import RosterServer
import RosterSignIn
import RosterTransport
import Testing

@Suite("The articles about the client library", .timeLimit(.minutes(2)))
struct ClientArticlesTests {
    let client: ServedClient
    let url: String
    let server: URL
    let clientID: String
    let password = ServedClient.password
    let store: SecureStore

    init() async throws {
        client = try await ServedClient()
        (url, clientID, store) = (client.url, client.clientID, try client.store())
        server = try #require(URL(string: url))
    }

    @Test("A view of a server is asked")
    func landing() async throws {
        let view = try await DirectoryView(server: server, credentials: .basic("ada", password: password))
        let manager = try await view.users.manager(of: "ada")
        print(manager?.label ?? "Ada has no manager.")
        #expect(manager == nil)
    }

    @Test("The example of the initializer reads a user")
    func initializer() async throws {
        let view = try await DirectoryView(server: server, credentials: .basic("ada", password: password))
        let ada = try await view.users.user("ada")
        #expect(ada.uid == "ada")
    }

    @Test("A search and a change go to the server")
    func asking() async throws {
        let view = try await DirectoryView(server: server, credentials: .basic("ada", password: password))
        let page = try await view.users.search(Search(.member(of: "staff"), sortedBy: [.init(.familyName)]))
        try await view.users.modify("ada", attributes: ["mobile": "+49 171 5550199"])
        for user in page.elements { print(user.label, user.title ?? "") }
        #expect(page.elements.map(\.uid) == ["ada"])
        for try await user in view.users.observe(user: "ada") {
            print(user?.title ?? "no title")
            break
        }
    }

    @Test("The account of a signed-in user opens the directory")
    func account() async throws {
        let signIn = try #require(client.server.signIn)
        let app = try await signIn.createBackend(
            named: "phone", settings: BackendSettings(for: .app), in: client.directory.unrestricted)
        let authenticator = try Authenticator(
            AppRegistration(
                issuer: url, clientID: app.clientID, scopes: ["openid", "profile", "offline_access", "directory"]),
            store: store)
        let account = try await authenticator.signIn(userName: "ada", password: password)
        let view = try await DirectoryView(server: server, credentials: .account(account))
        print(try await view.users.reportees(of: "ada").count)
        #expect(try await view.users.user("ada").uid == "ada")
    }

    private var token: String {
        get async throws {
            try await APIToken.create(
                named: "job", role: .administrator, expires: nil, in: client.directory.unrestricted
            )
            .text
        }
    }

    @Test("A view is opened without await")
    func waiting() async throws {
        let token = try await token
        // The server of the test needs Swift's threads, so the calls wait on another one.
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async { done.resume(with: Result { try wait(token) }) }
        }
    }

    private func wait(_ token: String) throws {
        let view = try DirectoryView(server: server, credentials: .bearer(token))
        print(try view.users.count())
        #expect(try view.users.count() == 1)
    }

    @Test("A view is opened with await")
    func awaiting() async throws {
        let token = try await token
        let view = try await DirectoryView(server: server, credentials: .bearer(token))
        print(try await view.users.count())
        try await view.perform([
            .createUser(NewUser("grace", manager: "ada")),
            .add([.user("grace")], to: "staff"),
        ])
        #expect(try await view.users.count() == 2)
    }

    @Test("Second factors are listed")
    func administration() async throws {
        let view = try await DirectoryView(server: server, credentials: .bearer(token))
        let administration = try Administration(view)
        for factor in try await administration.user("ada").secondFactors().factors { print(factor.kind, factor.count) }
    }

    @Test("A store keeps secrets and credentials")
    func secrets() async throws {
        let file = client.folder.appendingPathComponent("other")
        let keyFile = client.folder.appendingPathComponent("other.key")
        let store = try SecureStore(file: file, key: .keyFile(keyFile))
        try store.set(Data("secret".utf8), named: "account/ada")
        try await store.withLock("account/ada") {
            if let secret = try store.data(named: "account/ada") { print(secret.count) }
        }
        try store.changeKey(to: .passphrase("a long sentence that only Ada knows"))

        let credentials = CredentialStore(store)
        try credentials.add(
            Credential(userName: "ada", password: password, tenant: "north"), named: "https://id.example.com")
        print(try credentials.credential(named: "https://id.example.com")?.tenant ?? "")
        #expect(try credentials.names() == ["https://id.example.com"])
    }

    @Test("A store is opened with a passphrase")
    func passphrases() throws {
        let (url, passphrase) = (client.folder.appendingPathComponent("third"), "another sentence")
        let store = try SecureStore(file: url, key: .passphrase(passphrase))
        try store.set(Data("secret".utf8), named: "account/ada")
        #expect(try store.names() == ["account/ada"])
    }

    @Test("Data is hashed, encrypted and signed")
    func cryptography() throws {
        let (answer, note, challenge) = (Data("Rue de la Paix".utf8), Data("a note".utf8), Data("challenge".utf8))
        let hash = try CryptoService.hashText(answer, with: .sha256)
        let isRight = try CryptoService.verify(answer, hashText: hash)
        let key = try CryptoService.key()
        let text = try CryptoService.encryptText(note, key: key, context: "notes")
        let same = try CryptoService.decrypt(text: text, key: key, context: "notes") == note
        print(isRight, same)
        #expect(isRight && same)

        let pairs = KeyPairs(store)
        let publicKey = try pairs.generate(.p256, tag: "device")
        let signature = try pairs.sign(challenge, with: "device", scheme: .ecdsa(.sha256))
        print(try publicKey.verify(signature, of: challenge, scheme: .ecdsa(.sha256)))
    }

    @Test("One-time passwords are made")
    func oneTime() throws {
        let secret = Array("12345678901234567890".utf8)
        let (code, expiresIn) = try TOTP(secret: secret).password()
        print(code.count, expiresIn)
        #expect(code.count == 6)
    }

    @Test("The examples in comments about one-time passwords run")
    func oneTimeComments() throws {
        let (secret, stored) = (Array("12345678901234567890".utf8), UInt64(0))
        var passwords = try HOTP(secret: secret, counter: stored)
        let password = try passwords.next()
        #expect(password == "755224")
        do {
            let (password, expiresIn) = try TOTP(secret: secret).password()
            #expect(password.count == 6 && expiresIn > 0)
        }
    }

    @Test("URLs of other apps are read and answered")
    func agents() throws {
        let code = "a code"
        let opened = Opened()
        func open(_ url: URL) { opened.urls.append(url) }
        let request = try SingleSignOnRequest(urlScheme: "mail", serviceDomain: "field")
        for incoming in [
            try request.url(agentScheme: "agent"),
            try #require(
                URL(string: "agent://x/?oamconfig=true&host=id.example.com&port=443&servicedomain=field&SSL=TRUE")),
        ] {
            if ConfigurationURL.isConfiguration(incoming) {
                print(try ConfigurationURL(incoming).server?.url.absoluteString ?? "no server")
            } else if SingleSignOnRequest.isRequest(incoming) {
                open(try SingleSignOnRequest(incoming).responseURL(["code": code]))
            }
        }
        func answer(_ url: URL) throws {
            guard SingleSignOnRequest.isRequest(url) else { return }
            let request = try SingleSignOnRequest(url)
            open(try request.responseURL(["code": code]))
        }
        try answer(request.url(agentScheme: "agent"))
        #expect(opened.urls.count == 2)
    }

    @Test("The app that asked reads the agent's response")
    func responses() async throws {
        let opened = Opened()
        func open(_ url: URL) { opened.urls.append(url) }
        func response() async throws -> URL {
            try SingleSignOnRequest(try #require(opened.urls.first)).responseURL(["code": "a code"])
        }
        let request = try SingleSignOnRequest(urlScheme: "mail", serviceDomain: "field")
        open(try request.url(agentScheme: "agent"))
        let result = try request.result(from: try await response())
        print(result["code"] ?? "no code")
        #expect(result == ["code": "a code"])
    }

    private struct UserInfo: Decodable {
        let sub: String
    }

    @Test("A protected API is called")
    func protectedAPIs() async throws {
        let authenticator = try Authenticator(AppRegistration(issuer: url, clientID: clientID), store: store)
        let (account, api) = (try await authenticator.signIn(userName: "ada", password: password), url)
        let client = try RESTClient(account, origins: [api])
        let user = try await client.send(TransportRequest("GET", api + "/oauth2/userinfo"), as: UserInfo.self)
        print(user.sub)
        #expect(!user.sub.isEmpty)

        let file = URL(fileURLWithPath: #filePath)
        var upload = TransportRequest("PUT", api + "/report")
        upload.bodyFile = file
        let response = try await client.send(upload)
        var size = 0
        for try await part in try await client.stream(TransportRequest("GET", api + "/report")) { size += part.count }
        print(response.status, size)
        #expect(response.status >= 400 && size > 0, "the server has no reports")

        let handle = client.start(TransportRequest("GET", api + "/oauth2/userinfo")) { result in
            if case .success(let response) = result { print(response.status) }
        }
        print(try await handle.response().status)

        do {
            _ = try await client.send(TransportRequest("GET", "https://other.example.com/"))
        } catch let error as ClientError where error.code == .originNotNamed {
            print(error.advice)
        }
    }

    private final class Opened { var urls: [URL] = [] }
}
