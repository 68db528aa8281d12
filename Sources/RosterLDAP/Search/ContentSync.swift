import Roster
import RosterCrypto
import RosterText

/// The control for a copy of the entries that a search finds (RFC 4533).
struct ContentSync: Sendable {
    enum Mode: Int32 {
        /// Sends what has changed, and ends.
        case refreshOnly = 1
        /// Sends what has changed, and goes on.
        case refreshAndPersist = 3
    }

    enum State: Int32 {
        case add = 1
        case modify = 2
        case delete = 3
    }

    let mode: Mode
    /// What the client got with the last answer; nil for a client without a copy.
    let cookie: String?

    init(_ control: LDAPControl) throws {
        do {
            (mode, cookie) = try BERReader.reading(control.value ?? []) { reader in
                try reader.container(BERReader.Tag.sequence) { reader in
                    guard let mode = Mode(rawValue: try reader.integer(BERReader.Tag.enumerated)) else {
                        throw BERReader.Malformed()
                    }
                    return (mode, try reader.optionalText(BERReader.Tag.octets))
                }
            }
        } catch {
            throw LDAPResult(.protocolError, "The control for content synchronization cannot be read.")
        }
    }

    /// The control of an entry.
    static func state(_ state: State, _ uuid: [UInt8], cookie: String? = nil) -> LDAPControl {
        var writer = BERWriter()
        writer.container { writer in
            writer.enumerated(state.rawValue)
            writer.octets(uuid)
            if let cookie { writer.text(cookie) }
        }
        return LDAPControl(identifier: SupportedControl.syncState, value: writer.finish())
    }

    /// The control of the last answer.
    ///
    /// - Parameter deletes: Whether the entries that were deleted are named. Otherwise the client deletes the entries that were not sent.
    static func done(cookie: String, deletes: Bool) -> LDAPControl {
        var writer = BERWriter()
        writer.container { writer in
            writer.text(cookie)
            if deletes { writer.boolean(true) }
        }
        return LDAPControl(identifier: SupportedControl.syncDone, value: writer.finish())
    }

    /// The value of the message that all changes were sent, and that further ones follow as they are made.
    static func info(cookie: String, deletes: Bool) -> [UInt8]? {
        var writer = BERWriter()
        writer.container(deletes ? 0xA1 : 0xA2) { $0.text(cookie) }
        return writer.finish()
    }
}

extension LDAPMessage {
    /// Whether the request is a search that goes on until the client ends it.
    var isEndless: Bool {
        if control(SupportedControl.persistentSearch) != nil { return true }
        guard let control = control(SupportedControl.sync), let sync = try? ContentSync(control) else { return false }
        return sync.mode == .refreshAndPersist
    }
}

extension SearchRun {
    /// The most changes for which the changed entries are sent. After more changes, all entries are.
    private static let mostChanges = 5_000

    /// Sends the entries that have changed since the client's cookie, or all entries.
    mutating func synchronize(_ sync: ContentSync) async throws -> LDAPResult {
        let digest = try digest()
        func cookie(_ number: Int64) -> String { SyncCookie(number, digest, request: sync.cookie).text }
        // Changes that are made while entries are read come again with the next cookie, which harms nobody.
        let end = try await view().changes.lastSequence() as Int64
        let deletes = try await sendChanges(sync, digest)
        if !deletes {
            let result = try await find()
            guard result == .success else { return result }
        }
        flush()
        guard sync.mode == .refreshAndPersist else {
            controls.append(ContentSync.done(cookie: cookie(end), deletes: deletes))
            return .success
        }
        if let value = ContentSync.info(cookie: cookie(end), deletes: deletes),
            let bytes = LDAPAnswer.intermediate(SupportedControl.syncInfo, value, to: message.id)
        {
            outbox.add(bytes)
        }
        let tree = service.tree
        try await follow(since: end) { Self.controls(of: $0, tree, cookie: cookie($0.change.sequence)) }
        return .success
    }

    /// Sends the entries that have changed since the client's cookie.
    ///
    /// - Returns: False for a client without a cookie of this search, or if too much has changed. Nothing was sent then.
    private mutating func sendChanges(_ sync: ContentSync, _ digest: String) async throws -> Bool {
        guard let cookie = sync.cookie.flatMap({ SyncCookie($0, digest) }) else { return false }
        let changes: [Change]
        do {
            changes = try await view().changes.since(cookie.sequence, limit: Self.mostChanges)
        } catch let error as DirectoryError where error.code == .changesCompacted || error.code == .notFound {
            return false
        }
        guard changes.count < Self.mostChanges else { return false }
        // The last change of an entry tells its state.
        var seen: Set<String> = []
        let last = changes.reversed().filter { Self.kind(of: $0) != nil && seen.insert($0.subjectID).inserted }
        let tree = service.tree
        for change in last.reversed() {
            guard let (kind, isUser) = Self.kind(of: change) else { continue }
            try await send(change, kind, isUser: isUser) { Self.controls(of: $0, tree, cookie: nil) }
        }
        return true
    }

    private static func controls(of followed: Followed, _ tree: DirectoryTree, cookie: String?) -> [LDAPControl]? {
        guard let number = UserID(followed.change.subjectID)?.rawValue else { return nil }
        let state: ContentSync.State = !followed.isFound ? .delete : followed.kind == .add ? .add : .modify
        return [ContentSync.state(state, tree.uuids.bytes(number), cookie: cookie)]
    }

    /// A text that tells the searches apart whose copies differ. Another search and another caller have another one.
    private func digest() throws -> String {
        let text =
            "\(service.tree.base)|\(session.identity?.dn ?? "")|\(search.base)|\(search.scope)|\(search.filter)"
            + "|\(search.attributes)"
        let key = Array(try service.directory.signingKey().utf8)
        return Hexadecimal.text(Array(try HMACSHA256.code(for: Array(text.utf8), key: key).prefix(8)))
    }
}
