import Foundation
import Roster
import RosterLDAP
import RosterServer
import RosterSignIn
import Synchronization
import RosterStore
import RosterCrypto
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

let serveCommand = Command(
    name: "serve", summary: "Serves the directory over HTTP: profiles, SCIM, changes, and a web page.",
    operands: "",
    options: [
        Command.database,
        .init(
            "in-memory", nil, "use a directory in memory, which is lost when the server stops, instead of --database"),
        .init(
            "replica", "ADDRESS",
            "with postgresql://…: a standby that answers lists and exports while it has all changes (or ROSTER_REPLICA)"
        ),
        .init("seed", "FILE", "a seed to load if the directory is empty; repeatable"),
        .init(
            "listen", "ADDRESS",
            "the address to listen on (default: 'interface' of --providers, or 127.0.0.1:8080); port 0 picks a free port; "
                + "unix:PATH for a Unix socket, systemd for the socket that systemd hands over"
        ),
        .init("socket-mode", "MODE", "with unix:PATH: the permissions of the socket's file (default: 660)"),
        .init(
            "public-url", "URL",
            "the address that clients use, if the server is behind a proxy; it may have a path"),
        .init(
            "keep-alive", "SECONDS",
            "how long an idle connection is kept; more than the proxy before the server (default: 75)"),
        .init(
            "trusted-proxy", "ADDRESSES",
            "proxies whose X-Forwarded-For names the client: 127.0.0.1, …; repeatable"),
        .init("certificate", "FILE", "the TLS certificate in PEM; SIGHUP reloads it"),
        .init("key", "FILE", "the certificate's private key in PEM"),
        .init("allow-plain-http", nil, "accept passwords from other machines without TLS"),
        .init(
            "admin-password-file", "FILE",
            "at the first start: the administrator's password (default: a generated one, which is shown)"),
        .init(
            "issuers", "FILE",
            "the document of trusted issuers for the token exchange; it sets how often it is reloaded"),
        .init("issuer-certificates", "FOLDER", "the issuers' certificates in PEM or DER"),
        .init(
            "token-exchange-timeout", "SECONDS",
            "the lifetime of an exchanged token, unless its issuer's entry sets one (default 28800)"),
        .init("token-exchange-policy", "POLICY", "the source of that lifetime (default FromTimeoutSecs)"),
        .init(
            "providers", "FILE",
            "the document of sign-in providers ('oidc', 'social'), or a configuration of Sync Gateway"
        ),
        .init(
            "token-settings", "FILE",
            "default token settings for backends without their own: oauthtoken.access_token_expiry, …"),
        Command.authorities,
    ] + mailOptions + [
        .init("test-provider", nil, "add a provider that lets anybody sign in as anybody, for tests on this machine"),
        .init(
            "allow-origin", "PATTERNS",
            "the origins whose pages may send requests (CORS): https://*.example.com, … (default: none)"),
        .init(
            "no-dialects", nil,
            "do not serve clients of Mobile and Social, Mobile Hub and Sync Gateway: their paths, fields and cookies"
        ),
        .init("no-bare-basic", nil, "accept HTTP Basic only together with Oracle-Mobile-Backend-ID"),
        .init(
            "apis", "FILE",
            "the APIs that can be called without a backend, and their callers: {\"apis\": {…}}, as in a backend's settings"
        ),
        .init(
            "change-rate", "N/S",
            "the changes that a person may make: N at once, then S a second; 'none' for no limit (default: 600/2)"),
        .init(
            "sign-in-rate", "N/S", "the sign-ins of an account: N at once, then S a second, or 'none' (default: 60/1)"),
        .init(
            "trusted-change-rate", "N/S", "the same for each administrator and provisioning program (default: none)"),
        .init("trusted-sign-in-rate", "N/S", "the same for the sign-ins of each administrator (default: none)"),
    ] + ldapOptions + [
        .init("quiet", nil, "do not log requests")
    ],
    example: "roster serve --database company.db --seed Seeds/company.json --listen 127.0.0.1:8080",
    run: serve)

@Sendable
private func serve(_ arguments: Arguments) async throws {
    LargePages.useForHashing()
    try arguments.expectOperands(atMost: 0)
    let seeds = try arguments.all("seed").map { try InputFile.seed($0) }
    guard (arguments.value("certificate") == nil) == (arguments.value("key") == nil) else {
        throw UsageError("--certificate and --key go together.")
    }
    if let text = arguments.value("public-url") {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased() ?? ""),
            url.host()?.isEmpty == false, url.query() == nil, url.fragment() == nil
        else {
            throw UsageError("--public-url needs an address such as https://id.example.com, not '\(text)'.")
        }
    }
    let password = try arguments.value("admin-password-file").map { try secret(inFile: $0) }
    var configuration = DirectoryServer.Configuration()
    configuration.publicURL = arguments.value("public-url")
    if let seconds = try arguments.number("keep-alive", least: 1) { configuration.keepAlive = .seconds(seconds) }
    configuration.trustedProxies = arguments.all("trusted-proxy").flatMap {
        $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    if let certificate = arguments.value("certificate"), let key = arguments.value("key") {
        configuration.tls = (certificate, key)
    }
    if let origins = arguments.value("allow-origin") { configuration.allowOrigin = origins }
    configuration.trust.issuers = try arguments.value("issuers").map { path in
        let url = URL(fileURLWithPath: path)
        // Problems are reported here, where an administrator sees them. The running server keeps the last valid
        // document.
        for text in try IssuerTrust.read(url).notes { note("\(text)") }
        return url
    }
    configuration.trust.issuerCertificates = arguments.value("issuer-certificates").map { URL(fileURLWithPath: $0) }
    if let seconds = try arguments.number("token-exchange-timeout", least: 1) {
        configuration.trust.tokenExchange.lifetime = .seconds(seconds)
    }
    if let policy = try arguments.choice("token-exchange-policy", TokenTimeoutPolicy.self) {
        configuration.trust.tokenExchange.timeoutPolicy = policy
    }
    var interface: String?
    configuration.trust.providers = try arguments.value("providers").map { path in
        let url = URL(fileURLWithPath: path)
        let providers = try IdentityProviders(contentsOf: url)
        for text in providers.notes { note("\(text)") }
        interface = providers.interface
        return url
    }
    configuration.trust.authorities = try arguments.authorities()
    if let apis = arguments.value("apis") { configuration.direct = try .init(apisIn: URL(fileURLWithPath: apis)) }
    configuration.direct.allowsBasic = !arguments.has("no-bare-basic")
    if let settings = arguments.value("token-settings") {
        configuration.tokenSettings = try TokenSettings(contentsOf: URL(fileURLWithPath: settings))
    }
    configuration.mail = try mailSettings(arguments)
    configuration.rates.changes = try rate("change-rate", arguments, usual: configuration.rates.changes)
    configuration.rates.signIns = try rate("sign-in-rate", arguments, usual: configuration.rates.signIns)
    configuration.rates.trustedChanges = try rate("trusted-change-rate", arguments, usual: nil)
    configuration.rates.trustedSignIns = try rate("trusted-sign-in-rate", arguments, usual: nil)
    configuration.hasTestProvider = arguments.has("test-provider")
    configuration.hasDialects = !arguments.has("no-dialects")
    configuration.allowsPlainHTTP = arguments.has("allow-plain-http")
    if let text = arguments.value("socket-mode") {
        guard let mode = UInt16(text, radix: 8), mode <= 0o777 else {
            throw UsageError("--socket-mode needs permissions such as 660, not '\(text)'.")
        }
        configuration.socketPermissions = mode
    }
    if let address = arguments.value("listen") {
        configuration.listen = address
    } else if let interface {
        let isForOthers = configuration.tls != nil || configuration.allowsPlainHTTP
        configuration.listen = listenAddress(ofInterface: interface, isForOthers: isForOthers)
        note(
            "listens on \(configuration.listen), as 'interface' in \(arguments.value("providers") ?? "") says")
    }
    if !arguments.has("quiet") {
        configuration.log = { data in _ = Terminal.write(data, to: STDERR_FILENO) }
    }
    let ldap = try ldapConfiguration(arguments, configuration)
    let ldapServer = Locked<LDAPServer?>(nil)
    configuration.neighbourFigures = { ldapServer.withLock { $0 }?.figures ?? [] }
    // A start that must fail does so before it makes a directory or changes one.
    try configuration.check()
    try ldap?.check()
    if !arguments.has("in-memory") { try arguments.checkKey() }
    let directory = try servedDirectory(arguments)
    let wait = LongWait { directory.storage.waitReason().map { note("still starting: \($0)") } }
    // A database without its key file gets neither a seed nor an administrator.
    if directory.isOnServer { _ = try MasterKey(of: directory) }
    try await load(seeds, into: directory)
    let administrator = try await FirstStart.administrator(of: directory, password: password)
    if administrator == nil, password != nil {
        note("there is an administrator already; the password of --admin-password-file was not set")
    }
    // A later start would not show this administrator's password again.
    var unseen = password == nil && !arguments.has("in-memory") ? administrator : nil
    do {
        let server = try DirectoryServer(directory, configuration: configuration)
        let (stops, sources) = await stopSignals {
            try server.reload()
            try ldapServer.withLock { $0 }?.reload()
        }
        let url = try server.start()
        var overLDAP = ""
        if let ldap, let signIn = server.signIn {
            let second = try LDAPServer(directory, signIn: signIn, configuration: ldap)
            let addresses = try second.start()
            for address in addresses { note("roster serves \(ldap.base) at \(address)") }
            if let address = addresses.first {
                overLDAP = "\nOver LDAP:\n  ldapsearch -x -W -H \(address) -b \(ldap.base) "
                overLDAP += "-D uid=\(administrator?.name ?? "NAME"),ou=people,\(ldap.base) '(uid=*)' cn mail\n"
            }
            ldapServer.withLock { $0 = second }
        }
        if let proxy = server.unnamedProxy {
            note(
                "all clients behind a proxy share one limit, so that one can lock out the others. If the proxy sends "
                    + "X-Forwarded-For, add --trusted-proxy \(proxy)")
        }
        Terminal.write(
            welcome(url, administrator, wasGiven: password != nil, hasBasic: configuration.direct.allowsBasic)
                + overLDAP)
        Terminal.flush()
        unseen = nil
        note("roster \(programVersion) serves \(url)")
        wait.end()
        ServiceManager.notify("READY=1")
        DispatchQueue(label: "roster.replica").async {
            guard let problem = directory.storage.tryReplica() else { return }
            note("the primary answers lists in place of the replica: \(problem.problem)")
        }
        for await _ in stops {}
        for source in sources { source.cancel() }
        ServiceManager.notify("STOPPING=1")
        await ldapServer.withLock { $0 }?.stop()
        await server.stop()
        note("stopped")
    } catch {
        if let unseen {
            Terminal.write(shownOnce(unseen))
            Terminal.flush()
        }
        throw error
    }
}

/// The rate in an option, such as 600/2; nil for `none`.
private func rate(_ option: String, _ arguments: Arguments, usual: Rate?) throws -> Rate? {
    guard let text = arguments.value(option) else { return usual }
    if text == "none" { return nil }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let atOnce = Int(parts[0]), let perSecond = Double(parts[1]),
        let rate = try? Rate(atOnce: atOnce, perSecond: perSecond)
    else {
        throw UsageError(
            "--\(option) needs a number at once and a number a second, such as 600/2, or 'none', not '\(text)'.")
    }
    return rate
}

/// Writes a message to the log, with the time, as the lines of the requests have it.
private func note(_ message: String) {
    Terminal.note("\(Timestamp.text(Date())) roster: \(Terminal.safe(message))")
}

/// The listening address for Sync Gateway's `interface`. Without a host, as in `:4984`, it means all addresses of the
/// machine, or only the loopback address without TLS and --allow-plain-http.
private func listenAddress(ofInterface interface: String, isForOthers: Bool) -> String {
    guard interface.hasPrefix(":") else { return interface }
    return (isForOthers ? "0.0.0.0" : "127.0.0.1") + interface
}

private func servedDirectory(_ arguments: Arguments) throws -> Directory {
    guard arguments.has("in-memory") else { return try arguments.servedDirectory { note("still starting: \($0)") } }
    if arguments.value("database") != nil { throw UsageError("Give --database or --in-memory, not both.") }
    return try Directory.inMemory()
}

/// Loads seeds into an empty directory only, because loading them again would undo later changes.
private func load(_ seeds: [Seed], into directory: Directory) async throws {
    guard !seeds.isEmpty else { return }
    let view = directory.unrestricted
    let count = try await view.users.count()
    guard count == 0 else {
        note("the directory has \(count) users already; the seed was not loaded")
        return
    }
    for seed in seeds {
        showBackends(of: try await SeedTarget.directory(directory).load(seed, grants: .roles))
    }
}

private func shownOnce(_ administrator: FirstStart.Administrator) -> String {
    """
    The first administrator, shown this once:
      name      \(administrator.name)
      password  \(administrator.password)

    """
}

private func welcome(
    _ url: String, _ administrator: FirstStart.Administrator?, wasGiven: Bool, hasBasic: Bool
) -> String {
    var text = "Roster serves \(url)\n"
    guard hasBasic else {
        if let administrator, !wasGiven { text += "\n" + shownOnce(administrator) }
        return text + "\nOpen \(url)/ in a browser and sign in.\n"
    }
    if let administrator {
        let shown = wasGiven ? "PASSWORD" : administrator.password
        if !wasGiven { text += "\n" + shownOnce(administrator) }
        text += "\nTry it:\n  curl -u '\(administrator.name):\(shown)' '\(url)/scim/v2/Users?count=3'\n"
        text += "\nOr open \(url)/ in a browser and sign in as \(administrator.name).\n"
    } else {
        text += "\nTry it:\n  curl -u NAME:PASSWORD \(url)/scim/v2/Me\n\nOr open \(url)/ in a browser and sign in.\n"
    }
    return text
}

/// Reads a secret from the first line of a file, or of standard input if the path is `-`.
func secret(inFile path: String) throws -> String {
    guard let data = try InputFile.read(path, upTo: 1 << 16), let text = String(data: data, encoding: .utf8) else {
        throw UsageError("'\(path)' cannot be read. Check the path.")
    }
    let line = text.prefix { !$0.isNewline }
    guard !line.isEmpty else { throw UsageError("'\(path)' has nothing in its first line.") }
    return String(line)
}

/// Returns a stream that ends when the server must stop: on SIGTERM, or when Ctrl-C cancels the command's task. SIGHUP
/// calls `reload`. Runs before the server reports its start, so that no later signal is lost while the sources
/// live.
private func stopSignals(
    reload: @escaping @Sendable () throws -> Void
) async -> (AsyncStream<Void>, [any DispatchSourceSignal]) {
    let (stops, continuation) = AsyncStream.makeStream(of: Void.self)
    var sources: [any DispatchSourceSignal] = []
    // Tools send these to have logs opened again, of which there are none here.
    for number in [SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
    for number in [SIGTERM, SIGHUP] {
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler {
            guard number == SIGHUP else { return continuation.finish() }
            do {
                try reload()
                note("read the certificate again")
            } catch {
                note("the certificate was not changed: \(error)")
            }
        }
        signal(number, SIG_IGN)
        // A signal between ignoring and registering would be lost, so this waits for the registration.
        await withCheckedContinuation { registered in
            source.setRegistrationHandler { registered.resume() }
            source.resume()
        }
        sources.append(source)
    }
    return (stops, sources)
}
