import Foundation
import Roster
import RosterOpenID
import RosterSignIn
import RosterText

/// A figure of another server in the same process, for `/metrics`.
package struct NeighbourFigure: Sendable {
    let name: String
    let help: String
    let isCounter: Bool
    let value: Double

    package init(_ name: String, _ help: String, isCounter: Bool = false, _ value: Int) {
        (self.name, self.help, self.isCounter, self.value) = (name, help, isCounter, Double(value))
    }
}

/// A figure of `/metrics`, with one value or one for each label.
struct Figure: Sendable {
    enum Kind: String, Sendable {
        case counter, gauge
    }

    let name: String
    let help: String
    let kind: Kind
    let samples: [(labels: [(name: String, value: String)], value: Double)]

    init(_ name: String, _ help: String, kind: Kind = .gauge, _ value: Double?) {
        self.init(name, help, kind: kind, value.map { [([], $0)] } ?? [])
    }

    init(
        _ name: String, _ help: String, kind: Kind = .gauge,
        _ samples: [(labels: [(name: String, value: String)], value: Double)]
    ) {
        (self.name, self.help, self.kind, self.samples) = (name, help, kind, samples)
    }

    /// The figure in Prometheus' text format; empty without a value.
    var text: String {
        guard !samples.isEmpty else { return "" }
        var text = "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(sample.value)\n"
        }
        return text
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

extension ServiceContext {
    /// The present figures of the directory, its disk, its certificates and its keys.
    func figures() async throws -> [Figure] {
        let view = directory.unrestricted
        let condition = directory.storage.condition
        let now = directory.now
        let refusals = oauth.refusals.counts
        let keys = try directory.signInRecords.signingKeys().filter { $0.retired.map { now < $0 } ?? true }
        let issuers = await oauth.external.trust.storedCertificates()
        let own: [Figure] = [
            Figure(
                "roster_build_info", "1; the label is the version of the program.",
                [([("version", programVersion)], 1)]),
            Figure(
                "process_start_time_seconds", "Time of the start of the process, in seconds since 1970.",
                ProcessFigures.start),
            Figure(
                "process_resident_memory_bytes", "Memory of the process that is in RAM.", ProcessFigures.residentMemory),
            Figure(
                "process_cpu_seconds_total", "Processor time of the process.", kind: .counter,
                ProcessFigures.processorTime),
            Figure("process_open_fds", "Open files and connections of the process.", ProcessFigures.openFiles),
            Figure("roster_users", "Users in the directory.", Double(try await view.users.count())),
            Figure(
                "roster_last_change", "The number of the latest change.", Double(try await view.changes.lastSequence())),
            Figure(
                "roster_sign_ins_refused_total", "Credentials that were refused, by reason.", kind: .counter,
                refusals.map { ([("reason", $0.reason)], Double($0.count)) }),
            Figure(
                "roster_mails_lost_total", "Mails that could not be queued or sent, by purpose.", kind: .counter,
                (mailer?.lost ?? []).map { ([("purpose", $0.purpose.rawValue)], Double($0.count)) }),
            Figure(
                "roster_reads_refused_total", "Searches and look-ups that were refused because too many waited.",
                kind: .counter, Double(condition.refusedReads)),
            Figure(
                "roster_searches_of_everybody_total",
                "Searches that had to read every user, because no index answers their filter.", kind: .counter,
                Double(condition.searchesOfAll)),
            Figure(
                "roster_replica_reads_total", "Lists, searches and exports that the replica has answered.",
                kind: .counter, directory.storage.hasReplica ? Double(directory.storage.answersOfReplica) : nil),
            Figure("roster_followers", "Clients that wait for changes.", Double(condition.followers)),
            Figure("roster_file_bytes", "Size of the directory's file.", condition.fileSize.map(Double.init)),
            Figure(
                "roster_log_bytes", "Size of the write-ahead log beside the file.", condition.logSize.map(Double.init)),
            Figure(
                "roster_file_damaged", "1 after damage was found in the directory's file, which then takes no changes.",
                condition.fileSize.map { _ in directory.storage.fileProblem == .damaged ? 1 : 0 }),
            Figure(
                "roster_disk_free_bytes", "Free space on the disk of the file.", condition.freeSpace.map(Double.init)),
            Figure(
                "roster_last_backup_timestamp_seconds", "Time of the last backup, in seconds since 1970.",
                condition.lastBackup?.timeIntervalSince1970),
            Figure(
                "roster_tls_certificate_expires_seconds",
                "Seconds until a certificate of the server's chain expires; 0 is the server's own.",
                certificateEnds().enumerated().map { index, end in
                    ([("place", "\(index)")], end.timeIntervalSince(now))
                }),
            Figure(
                "roster_issuer_certificate_expires_seconds",
                "Seconds until the stored certificate of an issuer expires.",
                issuers.enumerated().map { index, certificate in
                    (
                        [("place", "\(index)"), ("subject", certificate.subject)],
                        certificate.end.timeIntervalSince(now)
                    )
                }),
            Figure(
                "roster_signing_key_age_seconds", "Age of a key that signs tokens, or is about to.",
                keys.map { key in
                    (
                        [("algorithm", key.algorithm.rawValue), ("key", key.id)],
                        now.timeIntervalSince(key.created)
                    )
                }),
        ]
        return own
            + neighbourFigures().map { Figure($0.name, $0.help, kind: $0.isCounter ? .counter : .gauge, $0.value) }
    }
}
