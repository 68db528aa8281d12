import Roster

/// Keeps whoever sends requests from filling the disk with what is told about them.
///
/// Of one address the first ``refusals`` refusals of a minute are told, each once; how many more there were, or how often the
/// same, is told when the next minute has one. That a program signs in with a password on each of its requests is told once an
/// hour.
struct AuditLimits {
    /// How many refusals of one address are told in a minute: more than the password throttle lets through.
    static let refusals = 60

    private struct Minute {
        let start: Duration
        /// By their hash values: entries are long, and addresses many.
        var told: Set<Int> = []
        var untold = 0
    }

    private var minutes = GenerationalMap<String, Minute>(capacity: 4_000)
    private struct Program: Hashable {
        let name: String
        let origin: String
    }
    private var programs = GenerationalMap<Program, Duration>(capacity: 20_000)
    private var clock = SteadyClock()

    /// What is to be told of an entry, at a time that has passed since the start.
    mutating func admitted(_ entry: AuditEntry, at time: Duration) -> [AuditEntry] {
        let time = clock.tick(time)
        switch entry.kind {
        case .refused: return refusals(entry, time)
        case .signedIn where entry.detail["means"] == .string(AuditTrail.perRequest):
            let program = Program(name: entry.name, origin: entry.detail["from"]?.text ?? "")
            guard isNews(program, time) else { return [] }
            programs.set(time, for: program)
            return [entry]
        default: return [entry]
        }
    }

    /// Whether nobody was told within the hour that somebody signs in with each request from there.
    mutating func isNews(_ name: String, from origin: String, at time: Duration) -> Bool {
        isNews(Program(name: name, origin: origin), clock.tick(time))
    }

    private mutating func isNews(_ program: Program, _ time: Duration) -> Bool {
        programs.value(program).map { time - $0 >= .seconds(3_600) } ?? true
    }

    private mutating func refusals(_ entry: AuditEntry, _ time: Duration) -> [AuditEntry] {
        let origin = entry.detail["from"]?.text ?? ""
        let network = AttemptThrottle.network(of: origin)
        var minute = minutes.value(network) ?? Minute(start: time)
        var admitted: [AuditEntry] = []
        if time - minute.start >= .seconds(60) {
            if minute.untold > 0 { admitted.append(Self.summary(minute.untold, origin)) }
            minute = Minute(start: time)
        }
        if minute.told.count < Self.refusals, minute.told.insert(entry.hashValue).inserted {
            admitted.append(entry)
        } else {
            minute.untold += 1
        }
        minutes.set(minute, for: network)
        return admitted
    }

    private static func summary(_ count: Int, _ origin: String) -> AuditEntry {
        AuditEntry(
            .refused, .user, id: 0, name: "", actor: "sign-in",
            detail: [
                "from": .string(origin), "means": "summary",
                "reason": .string("\(count) more refusals from there, or the same again, within a minute"),
            ])
    }
}
