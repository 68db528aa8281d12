import Foundation
package import Roster
package import RosterStore

/// A secret that the directory stores encrypted with its key file.
package struct SealedSecret: Sendable, Hashable {
    package enum Owner: Sendable, Hashable {
        /// The key that signs tokens, by its id.
        case signingKey(String)
        case secondFactor(UserID)
        /// The secret of a backend, by its client id.
        case backend(String)
        /// The secret of a setting, by its kind and name.
        case setting(StoredSetting.Kind, String)
    }
    package let owner: Owner
    package let sealed: String

    init?(_ row: borrowing Row) {
        sealed = row.text(2)
        switch row.text(0) {
        case "signing_key": owner = .signingKey(row.text(1))
        case "second_factor": owner = .secondFactor(UserID(rawValue: row.integer(1)))
        case "backend": owner = .backend(row.text(1))
        default: return nil
        }
    }
}

/// The secrets that cannot be read any more when the key file is lost.
package struct LostSecrets: Sendable, Hashable {
    /// The ids of the keys that sign tokens.
    package let signingKeys: [String]
    /// The names of the users who have a second factor.
    package let secondFactors: [String]
    /// The names and versions of the backends whose own secret signs their tokens.
    package let backends: [String]
    /// The kinds and names of the settings that have a secret.
    package let settings: [String]

    fileprivate init(on connection: Connection) throws {
        signingKeys = try connection.all(GrantStatements.keys) { $0.text(0) }
        secondFactors = try connection.all(GrantStatements.sealedFactors) { $0.text(1) }
        backends = try connection.all(BackendStatements.sealed) { $0.text(0) + " " + $0.text(1) }
        settings = try connection.all(SettingStatements.sealed) { $0.text(0) }
    }
}

extension DirectorySecrets {
    /// One encrypted secret of each kind. A key file that opens them is the right one. Empty for a directory without secrets.
    package func samples() throws -> [SealedSecret] { try directory.store.read { try Self.samples(on: $0) } }

    /// The same for a file, which need not exist. No file is changed or made.
    package static func samples(in file: DirectoryFile) throws -> [SealedSecret] {
        let size = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        guard let size, size > 0 else { return [] }
        return try DirectoryError.translating {
            try Store.visit(file.path, .current) { connection in
                // Files of the first versions have no secrets.
                let tables = try connection.first(GrantStatements.secretTables) { $0.integer(0) }
                return tables == 3 ? try samples(on: connection) : []
            }
        }
    }

    private static func samples(on connection: Connection) throws -> [SealedSecret] {
        try connection.all(GrantStatements.sealedSamples) { SealedSecret($0) }.compactMap { $0 }
    }

    /// The secrets that are lost if the key file is.
    package func all() throws -> LostSecrets { try directory.store.read { try LostSecrets(on: $0) } }

    /// Gives up the secrets that were encrypted with a lost key file. Signing keys and backends' sealed secrets are removed, and
    /// all sessions and tokens end. A second factor is marked as lost and not removed, because the password alone must not be
    /// enough to sign in.
    ///
    /// - Parameter actor: The actor that the change feed shows.
    package func giveUp(by actor: String) throws -> LostSecrets {
        try directory.acting(as: .administrator(actor)).write { transaction in
            let connection = transaction.connection
            let administrator = try transaction.asPresentAdministrator(to: "give up lost secrets")
            let lost = try LostSecrets(on: connection)
            let time = transaction.now()
            for id in lost.signingKeys { _ = try administrator.keys.remove(id) }
            let users = try connection.all(GrantStatements.sealedFactors) { ($0.integer(0), $0.text(1)) }
            try connection.run(GrantStatements.loseFactors)
            for (id, name) in users {
                try transaction.feed.record(
                    .revoked, .user, id: id, name: name, before: nil, after: ["means": "key file of the second factor"],
                    at: time)
            }
            try connection.run(BackendStatements.unseal)
            try connection.run(BackendStatements.unsealFormer)
            try connection.run(SettingStatements.unseal)
            try connection.run(SettingStatements.raiseVersion)
            try administrator.accounts.endAllSignIns()
            // The next key file counts.
            if connection.kind == .postgreSQL { try connection.run(MasterKeyStatements.forgetFingerprint) }
            return lost
        }
    }
}
