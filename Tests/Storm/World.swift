import Foundation
import RosterText
import RosterTransport
import TestSupport

/// A directory with its servers, their load, and the model of what was acknowledged.
final class World: @unchecked Sendable {
    // Unchecked: what changes after `start` is behind locks, or changed by the step that runs alone.
    static let people = "/oic_rest/rest/userprofile/people"
    /// The manager of all who have one. Never deleted.
    static let boss = "boss"
    private static let password = "correct horse battery staple"

    let program: String
    let folder: URL
    let judge = Judge()
    let model = Model()
    let engine: StormEngine
    private(set) var servers: [ServerProcess] = []
    private(set) var caller: Caller
    private(set) var clientCredentials = ""
    private(set) var load: Load?
    private var feed = Feed()
    private let settings = Locked((scheme: "http", isStepOver: false, isClockMoved: false, tokenEra: 0))
    private let control: URL
    private let library: URL
    /// Held by whoever needs the file to be in its place, or moves it.
    let place = NSRecursiveLock()
    /// Held by whoever opens the file for writing.
    let ownership = NSLock()

    init(_ program: String, engine: StormEngine, in folder: URL, library: URL) throws {
        (self.program, self.engine, self.folder, self.library) = (program, engine, folder, library)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        control = folder.appendingPathComponent("control")
        try Data([0]).write(to: control)
        caller = Caller(transport: Transport(), token: nil, judge: judge)
    }

    /// The directory of the engine, as commands name it.
    var database: String { engine.database(in: folder) }
    var tokenFile: String { folder.appendingPathComponent("token").path }
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// The administrator's credentials.
    var basic: String { "Basic " + Data("admin:\(Self.password)".utf8).base64EncodedString() }

    /// What lets calls of a program fail.
    var environment: [String: String] {
        ["LD_PRELOAD": library.path, "STORM_FOLDER": folder.path, "STORM_CONTROL": control.path]
    }

    // MARK: Start and end

    /// Makes the directory, its administrator, a program's token and an app, and starts the load.
    func start(seed: UInt64) throws {
        try (Self.password + "\n").write(toFile: path("password"), atomically: false, encoding: .utf8)
        for _ in 0..<engine.serverCount {
            // All servers have the first one's address, as those behind one proxy have.
            let publicURL = servers.first.map { ["--public-url", "http://\($0.place)"] } ?? []
            let server = try ServerProcess(
                program,
                ["--database", database, "--admin-password-file", path("password")] + engine.options(in: folder)
                    + publicURL,
                in: folder, judge)
            try server.start(environment: environment)
            servers.append(server)
        }
        func make(_ path: String, _ body: JSONValue) throws -> JSONValue {
            let answer = caller.send("POST", url() + path, body, headers: ["Authorization": basic])
            guard answer.isSuccess else { throw StormError("POST \(path): \(answer.text)") }
            return answer.body
        }
        let token = try make("/admin/tokens", ["name": "storm", "role": "administrator"])["token"]?.text ?? ""
        try token.write(toFile: tokenFile, atomically: false, encoding: .utf8)
        let app = try make(
            "/admin/backends",
            [
                "name": "storm", "grant_types": ["client_credentials"], "directory_role": "monitoring",
                "scope": "directory",
            ])
        clientCredentials =
            "client_id=\(app["client_id"]?.text ?? "")&client_secret=\(app["client_secret"]?.text ?? "")"
        _ = try make(Self.people, ["uid": .string(Self.boss)])
        _ = try make("/oic_rest/rest/userprofile/groups", ["name": .string(Load.role)])
        model.begin(Self.boss, Person())
        model.end(Self.boss, wasMade: true)
        model.begin("admin", Person())
        model.end("admin", wasMade: true)
        var transport = TransportSettings()
        transport.authoritiesFile = try Certificates.makeAuthority(in: folder)
        caller = Caller(transport: Transport(transport), token: token, judge: judge)
        let load = Load(self)
        load.start(seed: seed)
        self.load = load
    }

    /// Ends everything. The folder stays if it is needed to understand a finding.
    func end(keepsFolder: Bool) {
        load?.pause()
        load?.stop()
        for server in servers { server.stop() }
        engine.stop()
        if !keepsFolder { try? FileManager.default.removeItem(at: folder) }
    }

    // MARK: Servers

    func url(_ index: Int = 0) -> String { "\(settings.withLock { $0.scheme })://\(servers[index].place)" }
    func anyURL(_ numbers: inout SeededNumbers) -> String { url(Int.random(in: 0..<servers.count, using: &numbers)) }

    /// Starts a server again, however it ended.
    func restart(
        _ server: ServerProcess, by signal: Int32 = SIGKILL, options: [String] = [],
        environment more: [String: String] = [:]
    ) throws {
        try judge.fault(at: server.place) {
            server.stop(signal)
            let scheme = options.contains("--certificate") ? "https" : "http"
            settings.withLock { if $0.scheme != scheme { ($0.scheme, $0.tokenEra) = (scheme, $0.tokenEra + 1) } }
            let preload = [environment["LD_PRELOAD"], more["LD_PRELOAD"]].compactMap(\.self).joined(separator: ":")
            ownership.lock()
            defer { ownership.unlock() }
            try server.start(
                options, environment: environment.merging(more) { $1 }.merging(["LD_PRELOAD": preload]) { $1 })
        }
    }

    /// Starts the servers that have ended.
    func restartEnded() throws {
        for server in servers where server.reportsEnd() { try restart(server) }
    }

    /// Whether commands can reach the server, which they do only without TLS of the storm's own authority.
    var isPlain: Bool { settings.withLock { $0.scheme == "http" } }

    // MARK: Faults

    /// Fills the disk for the programs of the world, or frees it.
    func setFull(_ isFull: Bool) throws {
        // Written in place, because the programs have mapped the file.
        let handle = try FileHandle(forWritingTo: control)
        try handle.write(contentsOf: Data([isFull ? 1 : 0]))
        try handle.close()
    }

    var isClockMoved: Bool {
        get { settings.withLock { $0.isClockMoved } }
        set { settings.withLock { ($0.isClockMoved, $0.tokenEra) = (newValue, $0.tokenEra + 1) } }
    }

    /// A number that changes with the address of the servers, which is the issuer of tokens, and with their clock. A token is alive in
    /// the era in which it was made.
    var tokenEra: Int { settings.withLock { $0.tokenEra } }

    /// Whether the uses beside the step's fault shall end.
    var isStepOver: Bool {
        get { settings.withLock { $0.isStepOver } }
        set { settings.withLock { $0.isStepOver = newValue } }
    }

    /// Waits as long as the step goes on, at most this time.
    func wait(_ seconds: Double) {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end, !isStepOver, !judge.hasFindings { usleep(20_000) }
    }

    // MARK: Programs

    /// Runs the program with arguments.
    func roster(_ arguments: String..., environment: [String: String] = [:]) throws -> Ended {
        let key = engine.pair == nil ? [:] : ["ROSTER_MASTER_KEY": path("key")]
        return try RunningProgram(
            program, arguments, in: folder, environment: environment.merging(key) { $1 }
        ).end()
    }

    /// Runs a program whose failure is a finding, unless a fault is there.
    @discardableResult
    func expect(_ what: String, _ run: () throws -> Ended) throws -> Ended {
        let begun = ContinuousClock.now
        let ended = try run()
        if !ended.isSuccess, !judge.hadFault(since: begun) {
            judge.report(what, expected: "exit code 0", found: ended.problem)
        }
        return ended
    }

    // MARK: Verification

    /// Compares the directory, the feed and the model while nobody changes the directory.
    func verify() throws {
        let begun = ContinuousClock.now
        let url = url()
        while true {
            let answer = caller.send("GET", "\(url)/oic_rest/rest/userprofile/changes?since=\(feed.last)&limit=5000")
            guard answer.isSuccess else { throw StormError("the feed, expected an answer, found \(answer.text)") }
            let entries = answer.body["elements"]?.elements ?? []
            if entries.isEmpty { break }
            for entry in entries { feed.take(entry, judge) }
        }
        let found = try readPeople(url)
        let told = feed.people
        for name in Set(found.keys).union(told.keys) where found[name] != told[name] {
            judge.report(
                "the state of \(name) by the feed", expected: found[name]?.description ?? "absent",
                found: told[name]?.description ?? "absent")
        }
        model.compare(with: found, judge)
        if ContinuousClock.now - begun > .seconds(30) {
            judge.report("the verification", expected: "an end in 30 s", found: "\(ContinuousClock.now - begun)")
        }
    }

    /// The people of the directory, by SCIM.
    private func readPeople(_ url: String) throws -> [String: Person] {
        let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
        var resources: [JSONValue] = []
        while true {
            let answer = caller.send("GET", "\(url)/scim/v2/Users?startIndex=\(resources.count + 1)&count=1000")
            guard answer.isSuccess else { throw StormError("the people, expected an answer, found \(answer.text)") }
            let page = answer.body["Resources"]?.elements ?? []
            resources += page
            if page.isEmpty || .integer(Int64(resources.count)) == answer.body["totalResults"] { break }
        }
        var names: [String: String] = [:]
        for resource in resources { names[resource["id"]?.text ?? ""] = resource["userName"]?.text ?? "" }
        var people: [String: Person] = [:]
        for resource in resources {
            let manager = resource[enterprise]?["manager"]?["value"]?.text
            let groups = resource["groups"]?.elements.compactMap { $0["display"]?.text } ?? []
            let name = resource["userName"]?.text ?? ""
            if people[name] != nil { judge.report("the people", expected: "one \(name)", found: "two") }
            people[name] = Person(
                title: resource["title"]?.text, manager: manager.map { names[$0] ?? $0 },
                isMember: groups.contains(Load.role))
        }
        return people
    }
}
