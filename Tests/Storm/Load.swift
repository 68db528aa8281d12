import Foundation
import RosterText
import TestSupport

/// The load on the servers of a world: threads that change people, and threads that read, sign in and load the page.
final class Load: Sendable {
    static let role = "stormers"
    private static let writers = 4
    private static let readers = 2

    private struct State {
        var isPaused = true
        var isOver = false
        var running = 0
    }
    private let state = Locked(State())
    private let world: World

    init(_ world: World) { self.world = world }

    /// Starts the threads, which wait for `resume()`.
    func start(seed: UInt64) {
        for number in 0..<UInt64(Self.writers) {
            var writer = Writer(world: world, number: Int(number), numbers: SeededNumbers(seed: seed &* 31 &+ number))
            run { writer.change() }
        }
        for number in 0..<UInt64(Self.readers) {
            var reader = Reader(world: world, numbers: SeededNumbers(seed: seed &* 37 &+ number))
            run { reader.read() }
        }
    }

    private func run(_ body: sending @escaping () -> Void) {
        // Unchecked: the thread alone uses what the closure holds.
        nonisolated(unsafe) let body = body
        Thread.detachNewThread {
            while true {
                let (isOver, mayRun) = self.state.withLock { state in
                    let mayRun = !state.isPaused && !state.isOver && !self.world.judge.hasFindings
                    if mayRun { state.running += 1 }
                    return (state.isOver, mayRun)
                }
                if isOver { return }
                guard mayRun else {
                    usleep(5_000)
                    continue
                }
                body()
                self.state.withLock { $0.running -= 1 }
            }
        }
    }

    func resume() { state.withLock { $0.isPaused = false } }

    /// Stops new requests, and waits for the answers to those that were sent.
    func pause() {
        state.withLock { $0.isPaused = true }
        while state.withLock({ $0.running > 0 }) { usleep(2_000) }
    }

    func stop() { state.withLock { $0.isOver = true } }
}

/// Changes people of its own, one request at a time, by all interfaces.
struct Writer {
    let world: World
    let number: Int
    var numbers: SeededNumbers
    private var count = 0
    private var names: [String] = []
    /// The identifiers that SCIM uses.
    private var identifiers: [String: String] = [:]

    init(world: World, number: Int, numbers: SeededNumbers) {
        (self.world, self.number, self.numbers) = (world, number, numbers)
    }

    private mutating func next() -> String {
        count += 1
        // The round of the world is in each name and value, so that none is ever used twice.
        return "\(number)-\(count)"
    }

    /// Makes one change.
    mutating func change() {
        names.removeAll { world.model.settled($0) == .some(nil) }
        let settled = names.filter { world.model.settled($0) != nil }
        let kind = Int.random(in: 0..<100, using: &numbers)
        guard settled.count > 5, kind > (names.count < 40 ? 25 : 5), let name = settled.randomElement(using: &numbers),
            let person = world.model.settled(name) ?? nil
        else { return create() }
        switch kind {
        case 90...: delete(name)
        case 75..<90: setMembership(name, person)
        case 60..<75: setManager(name, person)
        default: setTitle(name, person)
        }
    }

    private mutating func create() {
        let name = "p" + next()
        let title = "t" + next()
        var person = Person(title: title)
        names.append(name)
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0:
            send(name, person, "POST", World.people, ["uid": .string(name), "title": .string(title)])
        case 1:
            let answer = send(
                name, person, "POST", "/scim/v2/Users",
                [
                    "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": .string(name),
                    "title": .string(title),
                ])
            identifiers[name] = answer.body["id"]?.text
        default:
            person.manager = World.boss
            let body: JSONValue = [
                "user": [
                    "uid": .string(name), "attributes": ["title": .string(title)], "isActive": true,
                    "manager": Self.named(World.boss),
                ]
            ]
            sendRepeatedly(name, person, "createUser", body)
        }
    }

    private mutating func setTitle(_ name: String, _ person: Person) {
        var person = person
        let title = "t" + next()
        person.title = title
        switch (Int.random(in: 0..<3, using: &numbers), identifiers[name]) {
        case (0, let identifier?):
            send(
                name, person, "PATCH", "/scim/v2/Users/\(identifier)",
                [
                    "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
                    "Operations": [["op": "replace", "path": "title", "value": .string(title)]],
                ])
        case (1, _):
            sendRepeatedly(
                name, person, "modifyUser",
                ["user": Self.named(name), "changes": [["set": ["_0": "title", "_1": .string(title)]]]])
        default:
            send(name, person, "PUT", "\(World.people)/\(name)", ["title": .string(title)])
        }
    }

    private mutating func setManager(_ name: String, _ person: Person) {
        var person = person
        if let manager = person.manager {
            person.manager = nil
            send(name, person, "DELETE", "\(World.people)/\(name)/manager/\(manager)")
        } else {
            person.manager = World.boss
            send(
                name, person, "POST", "\(World.people)/\(name)/manager",
                ["uri": .string("\(World.people)/\(World.boss)")])
        }
    }

    private mutating func setMembership(_ name: String, _ person: Person) {
        var person = person
        person.isMember.toggle()
        if person.isMember {
            send(
                name, person, "POST", "\(World.people)/\(name)/memberOf",
                ["uri": .string("/oic_rest/rest/userprofile/groups/\(Load.role)")])
        } else {
            send(name, person, "DELETE", "\(World.people)/\(name)/memberOf/\(Load.role)")
        }
    }

    private mutating func delete(_ name: String) {
        if let identifier = identifiers[name], Bool.random(using: &numbers) {
            send(name, nil, "DELETE", "/scim/v2/Users/\(identifier)")
        } else {
            send(name, nil, "DELETE", "\(World.people)/\(name)")
        }
    }

    // MARK: Sending

    private static func named(_ name: String) -> JSONValue { ["named": ["_0": .string(name)]] }

    @discardableResult
    private mutating func send(
        _ name: String, _ next: Person?, _ method: String, _ path: String, _ body: JSONValue? = nil
    ) -> Caller.Answer {
        world.model.begin(name, next)
        let answer = world.caller.send(method, world.anyURL(&numbers) + path, body)
        recordOutcome(name, answer, method + " " + path)
        return answer
    }

    /// Sends an operation of the client library, and sends it again with the same key if no answer comes.
    private mutating func sendRepeatedly(_ name: String, _ next: Person?, _ operation: String, _ body: JSONValue) {
        world.model.begin(name, next)
        let key = "storm-\(self.next())-\(name)-operation"
        var answer = Caller.Answer(status: nil, body: .null, text: "")
        for _ in 0..<3 where answer.status == nil {
            answer = world.caller.send(
                "POST", "\(world.anyURL(&numbers))/directory/v1/\(operation)", body, headers: ["Idempotency-Key": key])
        }
        recordOutcome(name, answer, operation)
    }

    private func recordOutcome(_ name: String, _ answer: Caller.Answer, _ request: String) {
        if answer.isSuccess {
            world.model.end(name, wasMade: true)
        } else if answer.isRefusal {
            world.model.end(name, wasMade: false)
            // Each request is one that must succeed in the state that was acknowledged.
            if answer.status != 429 {
                world.judge.report(
                    "\(request) of \(name)", expected: "success",
                    found: "\(answer.status ?? 0) \(answer.text.prefix(200))")
            }
        }
    }
}

/// Reads by all interfaces, gets tokens, and loads the page.
struct Reader {
    let world: World
    var numbers: SeededNumbers
    /// A token that was got before, perhaps from another run of the server.
    private var token: (text: String, era: Int)?

    init(world: World, numbers: SeededNumbers) { (self.world, self.numbers) = (world, numbers) }

    mutating func read() {
        let url = world.anyURL(&numbers)
        switch Int.random(in: 0..<9, using: &numbers) {
        case 0: expect(world.caller.send("GET", url + "/"), "the page")
        case 1: expect(world.caller.send("GET", url + "/page.js"), "the page's program")
        case 2: expect(world.caller.send("GET", url + "/scim/v2/Users?filter=userName+sw+%22p1%22&count=20"), "SCIM")
        case 3: expect(world.caller.send("GET", "\(url)\(World.people)?searchparam.title=t*&pagesize=20"), "a search")
        case 4:
            expect(
                world.caller.send(
                    "POST", url + "/directory/v1/user",
                    ["user": ["named": ["_0": .string(World.boss)]], "attributes": ["usual": [:]], "prefetch": 0]),
                "a look-up")
        case 5: expect(world.caller.send("GET", url + "/metrics"), "the metrics")
        case 6: expect(world.caller.send("GET", url + "/.well-known/openid-configuration"), "the configuration")
        default: signIn(url)
        }
        usleep(2_000)
    }

    private mutating func signIn(_ url: String) {
        let era = world.tokenEra
        if let token {
            let answer = world.caller.send(
                "POST", url + "/oauth2/introspect", form: "token=\(token.text)&\(world.clientCredentials)")
            if answer.isSuccess, answer.body["active"] != true, token.era == world.tokenEra {
                world.judge.report("a token of minutes", expected: "active", found: answer.text)
            }
            self.token = nil
        } else {
            let answer = world.caller.send(
                "POST", url + "/oauth2/token", form: "grant_type=client_credentials&\(world.clientCredentials)")
            expect(answer, "a token")
            token = world.isClockMoved ? nil : answer.body["access_token"]?.text.map { ($0, era) }
        }
    }

    private func expect(_ answer: Caller.Answer, _ what: String) {
        if answer.isRefusal, answer.status != 429 {
            world.judge.report(what, expected: "an answer", found: "\(answer.status ?? 0) \(answer.text.prefix(200))")
        }
    }
}
