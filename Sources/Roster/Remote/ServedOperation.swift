import Foundation
import RosterStore
package import RosterText

/// The operations that a server offers to its clients, by name.
package enum ServedOperations {
    private static let reads: [any ReadOperation.Type] = [
        ReadUser.self, FindUser.self, UserExists.self, ReadUsers.self, CountUsers.self, SearchUsers.self,
        SearchUsersSimply.self, DeletedUsers.self, ReadManager.self, ReadReportees.self, ReadChain.self, ReadBelow.self,
        CountReportees.self, ReadLowestCommonManager.self, ReadWithoutManager.self, ReadRole.self, FindRole.self,
        CountRoles.self, SearchRoles.self, ReadMember.self, ReadRoleUsers.self, CountRoleUsers.self,
        ReadNestedRoles.self, ReadRolesHaving.self, ReadVocabulary.self, ReadLastSequence.self, ReadChanges.self,
        ReadRetention.self, MayDo.self, AwaitCommit.self, ReadCaller.self,
    ]
    private static let changes: [any ChangeOperation.Type] = [
        CreateUser.self, CreateUserOfAttributes.self, UpsertUser.self, ModifyUser.self, DeleteUser.self,
        EraseUsers.self, SetManager.self, CreateRole.self, CreateRoleOfAttributes.self, ModifyRole.self,
        DeleteRole.self, AddToRole.self, RemoveFromRole.self, DeclareAttributes.self, SetAttributeRights.self,
        ResetAttributeRights.self, WidenAttribute.self, RenameAttribute.self, SetAttributeIndex.self,
        SetAttributeRules.self, UndeclareAttribute.self, CompactChanges.self, SetRetention.self, PruneChanges.self,
        PerformBatch.self,
    ]

    /// The operations that change nothing.
    package static let readsByName = Dictionary(reads.map { ($0.name, $0) }) { $1 }
    /// The operations that change the directory.
    package static let changesByName = Dictionary(changes.map { ($0.name, $0) }) { $1 }
}

extension DirectoryOperation {
    /// The levels of arrays and objects that an operation may have. A deeper filter is refused anyway.
    private static var maximumDepth: Int { 256 }

    /// Reads an operation that a client has sent.
    ///
    /// - Throws: ``DirectoryError`` `invalidInput`.
    package init(body: [UInt8]) throws {
        guard body.depth <= Self.maximumDepth else {
            throw DirectoryError(
                .invalidInput, "The operation '\(Self.name)' has more than \(Self.maximumDepth) levels.",
                advice: "Send a smaller filter.")
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(body))
        } catch {
            throw DirectoryError(
                .invalidInput, "The body is not a valid '\(Self.name)' operation.",
                advice: "Update the client library or the server, so that both have the same version.")
        }
    }
}

extension [UInt8] {
    /// The deepest level of brackets in a JSON text.
    var depth: Int {
        var (depth, deepest) = (0, 0)
        var isInString = false
        var isEscaped = false
        for byte in self {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                deepest = Swift.max(deepest, depth)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return deepest
    }
}

/// The caller of the view, as the server knows the caller.
package struct ReadCaller: ReadOperation {
    package static let name = "caller"
    package var isBrief: Bool { true }
    package init() {}
    package func run(in transaction: Transaction) throws -> Caller { transaction.shared.caller }
}

extension Caller: WireValue {}

/// A change that a client has sent, with the key by which the client may send the change again.
package struct KeyedChange<Change: ChangeOperation>: ChangeOperation {
    package static var name: String { Change.name }
    package static var changesVocabulary: Bool { Change.changesVocabulary }
    package var isErasing: Bool { change.isErasing }

    let change: Change
    /// The client's name for the change; nil if the client will not send the change again.
    let key: String?
    /// A hash of the change as it was sent.
    let request: String

    /// - Parameter body: The change as the client has sent it.
    /// - Throws: ``DirectoryError`` `invalidInput`.
    package init(body: [UInt8], key: String?) throws {
        change = try Change(body: body)
        self.key = key
        request = String(FNV1a(Change.name.utf8 + body).value, radix: 16)
    }

    /// Runs the change, or returns the stored answer to the same key.
    package func run(in transaction: Transaction) throws -> WireText {
        if let key, let kept = try transaction.keptAnswer(to: request, key: key) { return WireText(bytes: kept) }
        let answer = try change.run(in: transaction)
        let vocabulary =
            Change.changesVocabulary
            ? try AttributeManager.vocabulary(on: transaction.connection) : transaction.vocabulary
        let body = WireAnswer.body(answer, vocabulary: vocabulary)
        if let key { try transaction.keep(body, of: request, key: key) }
        return WireText(bytes: body)
    }
}

/// JSON that was written before.
package struct WireText: WireValue {
    package let bytes: [UInt8]

    package func write(to json: inout [UInt8]) { json += bytes }
    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> WireText {
        try json.withValue { WireText(bytes: Array($0)) }
    }
}

extension Transaction {
    /// The milliseconds for which an answer is kept. A client stops repeating much earlier.
    private static let keepingTime: Int64 = 600_000

    /// The answer to a change that the caller has sent before with the key; nil if there is none.
    fileprivate func keptAnswer(to request: String, key: String) throws -> [UInt8]? {
        let kept = try connection.first(KeptAnswerStatements.find, [.text(shared.caller.description), .text(key)]) {
            ($0.text(0), $0.bytes(1) { Array($0) })
        }
        guard let kept else { return nil }
        guard kept.0 == request else {
            throw DirectoryError(
                .invalidInput, "The Idempotency-Key was already used for another change.",
                advice: "Give each change a new key.")
        }
        return kept.1
    }

    fileprivate func keep(_ answer: [UInt8], of request: String, key: String) throws {
        let now = now().milliseconds
        try removeKeptAnswers(before: now - Self.keepingTime)
        try connection.run(
            KeptAnswerStatements.keep,
            [
                .text(shared.caller.description), .text(key), .text(request),
                .text(String(decoding: answer, as: UTF8.self)), .integer(now),
            ])
    }

    private func removeKeptAnswers(before time: Int64) throws {
        try connection.run(KeptAnswerStatements.removeOld, [.integer(time)])
    }

    /// Removes the answers that are too old to be asked for again.
    func removeOldKeptAnswers() throws { try removeKeptAnswers(before: now().milliseconds - Self.keepingTime) }

    /// Removes all kept answers, which may hold values of erased users.
    func removeKeptAnswers() throws { try connection.run(KeptAnswerStatements.removeAll) }
}

extension DirectoryView {
    /// The time for which a server lets a client wait for a commit.
    private static let longestWait = Duration.seconds(20)

    /// Waits until there is a commit that the client does not know yet, or until the client should ask again.
    package func awaitCommit(_ question: AwaitCommit) async throws -> String {
        let signal = ChangeSignal(of: self)
        let latest = try await read(question)
        guard latest == question.after else { return latest }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await signal.wait() }
            group.addTask { try await Task.sleep(for: Self.longestWait) }
            try await group.next()
            group.cancelAll()
        }
        return try await read(question)
    }
}
