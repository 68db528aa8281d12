import Foundation
import Roster
import RosterCrypto
import RosterStore
import RosterText

/// Values under random codes in a table, which all servers of a directory share. The table has the digests of the codes, and the values
/// encrypted. The table is lost when the database server crashes, and users begin again then.
struct SharedCodes: Sendable {
    private let kind: String
    private let keys: KeyRing

    init(_ kind: String, _ keys: KeyRing) { (self.kind, self.keys) = (kind, keys) }

    private func bindings(_ code: String) throws -> [Binding] {
        [.text(kind), .text(Base64URL.text(try SHA256.digest(Array(code.utf8))))]
    }

    private func sealed(_ value: some Encodable, _ code: String) throws -> Binding {
        // A fragment, such as a lone string, is not a document for every decoder.
        .text(try keys.seal(String(decoding: try JSONEncoder().encode([value]), as: UTF8.self), context(code)))
    }

    private func opened<Value: Decodable>(_ text: String, _ code: String) throws -> Value? {
        try JSONDecoder().decode([Value].self, from: Data(try keys.open(text, context(code)).utf8)).first
    }

    private func context(_ code: String) -> String { "code \(kind) \(code)" }

    private func changeSideTables<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        try keys.directory.store.changeSideTables(body)
    }

    func insert(_ value: some Encodable, for code: String, until expires: Date, at now: Date) throws {
        let row = try bindings(code) + [try sealed(value, code), .integer(expires.milliseconds), .null, .null]
        try changeSideTables { connection in try insert(row, at: now, on: connection) }
    }

    /// Keeps a value of a person at an address, and drops the oldest codes of a share that is full.
    func insert(_ value: some Encodable, for code: String, until expires: Date, at now: Date, of owner: CodeOwner)
        throws
    {
        let (person, network) = (Binding.text(owner.person), Binding.text(owner.network))
        let row = try bindings(code) + [try sealed(value, code), .integer(expires.milliseconds), person, network]
        try changeSideTables { connection in
            try connection.run(
                PendingCodeStatements.makeRoom,
                [
                    .text(kind), person, .integer(Int64(CodeOwner.mostOfPerson - 1)), network,
                    .integer(Int64(CodeOwner.mostOfNetwork - 1)),
                ])
            try insert(row, at: now, on: connection)
        }
    }

    private func insert(_ row: [Binding], at now: Date, on connection: Connection) throws {
        try connection.run(PendingCodeStatements.clean, [.integer(now.milliseconds)])
        try connection.run(PendingCodeStatements.upsert, row)
    }

    /// - Returns: nil, or the seconds until the owner's next code expires where there are too many.
    func insert(
        _ value: some Encodable, for code: String, until expires: Date, at now: Date, of owner: String,
        atMost limit: Int
    ) throws -> TimeInterval? {
        let row = try bindings(code) + [try sealed(value, code), .integer(expires.milliseconds), .text(owner), .null]
        return try changeSideTables { connection in
            try connection.run(PendingCodeStatements.lock, [.text(owner)])
            let waiting = try connection.first(
                PendingCodeStatements.waiting, [.text(kind), .text(owner), .integer(now.milliseconds)]
            ) { (count: Int($0.integer(0)), first: $0.optionalInteger(1)) }
            if let waiting, waiting.count >= limit {
                return waiting.first.map { Date(milliseconds: $0).timeIntervalSince(now) } ?? 1
            }
            try insert(row, at: now, on: connection)
            return nil
        }
    }

    func value<Value: Decodable>(_ code: String, at now: Date) throws -> Value? {
        let row = try bindings(code) + [.integer(now.milliseconds)]
        let found = try changeSideTables { try $0.first(PendingCodeStatements.select, row) { $0.text(0) } }
        return try found.flatMap { try opened($0, code) }
    }

    /// Removes a value and returns it. If several callers ask at once, one of them gets it.
    func take<Value: Decodable>(_ code: String, at now: Date) throws -> Value? {
        let row = try bindings(code)
        let found = try changeSideTables { connection in
            try connection.first(PendingCodeStatements.take, row) { (text: $0.text(0), expires: $0.integer(1)) }
        }
        guard let found, now.milliseconds < found.expires else { return nil }
        return try opened(found.text, code)
    }

    /// Changes a value and returns the result of `change`; nil if the code is unknown or has expired. What `change` has made of the value
    /// is kept also if `change` throws.
    func change<Value: Codable, Result>(
        _ code: String, at now: Date, _ change: (inout Value) throws -> Result
    ) throws -> Result? {
        let place = try bindings(code)
        let outcome = try changeSideTables { connection -> Swift.Result<Result, any Error>? in
            let row = place + [.integer(now.milliseconds)]
            guard let text = try connection.first(PendingCodeStatements.selectForUpdate, row, { $0.text(0) }),
                var value: Value = try opened(text, code)
            else { return nil }
            let outcome = Swift.Result { try change(&value) }
            try connection.run(PendingCodeStatements.update, place + [try sealed(value, code)])
            return outcome
        }
        return try outcome?.get()
    }
}
