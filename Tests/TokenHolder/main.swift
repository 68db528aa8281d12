import Foundation
import RosterClient
import RosterMobileSDK
import RosterSecrets

// An app that is signed in: renews its access token in place of a refused one, once or until it is killed, and says each new one.
// Or signs in offline, and says the result. Or waits for a browser without a free descriptor for the connection, and says how many
// milliseconds of processor time a second of waiting costs.
// Usage: roster-token-holder FOLDER ISSUER CLIENT TOKEN once|always
// Usage: roster-token-holder FOLDER ISSUER CLIENT - crowded
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

/// The processor time of this process in milliseconds.
func processorTime() -> Int {
    var usage = rusage()
    #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
        getrusage(RUSAGE_SELF, &usage)
    #endif
    return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Int($1.tv_sec) * 1_000 + Int($1.tv_usec) / 1_000 }
}

/// Takes all descriptors of the process, connects to a port of this machine, and says what a second of that costs.
@Sendable
func crowd(_ port: Int) {
    #if canImport(Glibc)
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
        let client = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var limit = rlimit()
    #if canImport(Glibc)
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        let kind = RLIMIT_NOFILE
    #endif
    getrlimit(kind, &limit)
    var low = limit
    low.rlim_cur = rlim_t(client + 1)
    setrlimit(kind, &low)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
    let before = processorTime()
    poll(nil, 0, 1_000)
    say(isConnected ? "\(processorTime() - before)" : "error: not connected")
    setrlimit(kind, &limit)
    // The connection is accepted now, and gets an answer.
    let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)
    _ = write(client, request, request.count)
    var answer = [UInt8](repeating: 0, count: 12)
    _ = read(client, &answer, answer.count)
    say(String(decoding: answer, as: UTF8.self))
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
    if words[5] == "crowded" {
        let app = AppRegistration(issuer: words[2], clientID: words[3])
        _ = try? await Authenticator(app, store: store).signIn { _, redirectURL, continuation in
            crowd(redirectURL.port ?? 0)
            continuation(nil)
        }
        exit(0)
    }
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
