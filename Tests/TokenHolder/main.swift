import Foundation
import RosterClient

// An app that is signed in: renews its access token in place of a refused one, once or until it is killed, and says each new one.
// Or signs in offline, and says the result.
// Usage: roster-token-holder FOLDER ISSUER CLIENT TOKEN once|always
// Usage: roster-token-holder FOLDER SERVER APP NAME PASSWORD

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes a line in one piece, past every buffer of the process.
func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDOUT_FILENO, line, line.count)
}

let words = CommandLine.arguments
guard words.count == 6 else {
    say("usage: roster-token-holder FOLDER ISSUER CLIENT TOKEN once|always")
    say("usage: roster-token-holder FOLDER SERVER APP NAME PASSWORD, to sign in offline")
    exit(2)
}
let folder = URL(fileURLWithPath: words[1])
do {
    let store = try SecureStore(
        file: folder.appendingPathComponent("secrets"), key: .keyFile(folder.appendingPathComponent("key")))
    guard ["once", "always"].contains(words[5]) else {
        guard let server = URL(string: words[2]) else { exit(2) }
        let properties = SecurityProperties(server: server, applicationName: words[3])
        let service = try SecurityService(properties, store: store)
        say("begins")
        try await service.startAuthentication(
            AuthenticationRequest(.offline, userName: words[4], password: words[5]))
        say("signed in")
        exit(0)
    }
    let app = AppRegistration(
        issuer: words[2], clientID: words[3], redirect: .url("com.example.shop:/callback"), scopes: ["openid"])
    guard let account = try Authenticator(app, store: store).account() else {
        say("error: nobody is signed in")
        exit(1)
    }
    var token = words[4]
    repeat {
        token = try await account.accessToken(replacing: token)
        say(token)
    } while words[5] == "always"
} catch {
    say("error: \(error)")
    exit(1)
}
