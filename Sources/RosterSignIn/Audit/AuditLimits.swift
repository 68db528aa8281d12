package import Roster
import RosterText

/// Limits the entries of the change feed that strangers can cause, so that they cannot fill the disk.
///
/// Of each network, the first ``refusals`` different refusals of a minute are recorded, and counted if they are repeated. The number
/// of the others is recorded with the next refusal after that minute. A program that sends a password with each of its requests is recorded once an hour.
package struct AuditLimits {
    /// The number of refusals of a network that are recorded in a minute. It is more than the password throttle lets through.
    package static let refusals = 60

    private struct Minute {
        let start: Duration
        /// The hash values of the recorded entries. The entries are too long to keep for every network.
        var recorded: Set<Int> = []
        var unrecorded = 0
    }

    private var minutes = GenerationalMap<String, Minute>(capacity: 4_000)
    private struct Program: Hashable {
        let name: String
        let reason: String?
        let origin: String
    }
    private var programs = GenerationalMap<Program, Duration>(capacity: 20_000)
    private var clock = SteadyClock()

    package init() {}

    /// The entries that are recorded for an entry, at a time since the start.
    package mutating func admitted(_ entry: AuditEntry, at time: Duration) -> [AuditEntry] {
        let time = clock.tick(time)
        switch entry.kind {
        case .refused: return refusals(entry, time)
        case .signedIn where AuditTrail.perRequest.contains(entry.detail["means"]?.text ?? ""):
            let program = Program(
                name: entry.name, reason: entry.detail["reason"]?.text, origin: entry.detail["from"]?.text ?? "")
            guard isNews(program, time) else { return [] }
            programs.set(time, for: program)
            return [entry]
        default: return [entry]
        }
    }

    /// Whether it was not recorded within the last hour that somebody signs in with each request from an address.
    package mutating func isNews(_ name: String, _ reason: String? = nil, from origin: String, at time: Duration)
        -> Bool
    {
        isNews(Program(name: name, reason: reason, origin: origin), clock.tick(time))
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
            if minute.unrecorded > 0 {
                admitted.append(
                    AuditEntry(
                        refusals: "\(minute.unrecorded) more refusals from there within a minute",
                        ["from": .string(origin), "means": "summary"]))
            }
            minute = Minute(start: time)
        }
        if minute.recorded.contains(entry.hashValue) {
            admitted.append(entry)
        } else if minute.recorded.count < Self.refusals {
            minute.recorded.insert(entry.hashValue)
            admitted.append(entry)
        } else {
            minute.unrecorded += 1
        }
        minutes.set(minute, for: network)
        return admitted
    }
}

extension AuditEntry {
    /// An entry about several refusals.
    init(refusals reason: String, _ detail: AttributeSet = [:]) {
        var detail = detail
        detail["reason"] = .string(reason)
        self.init(.refused, .user, id: 0, name: "", actor: "sign-in", detail: detail)
    }
}
