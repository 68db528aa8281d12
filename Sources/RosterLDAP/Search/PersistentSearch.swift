import Roster

/// The control for a search that goes on with the entries that change (draft-ietf-ldapext-psearch-03).
struct PersistentSearch: Sendable {
    /// The kinds of changes, of which a client asks for some.
    enum Kind: Int32 {
        case add = 1
        case delete = 2
        case modify = 4
        case rename = 8
    }

    let kinds: Int32
    /// Whether the entries that are there already are left out.
    let changesOnly: Bool
    /// Whether each entry tells what has changed.
    let returnsKinds: Bool

    init(_ control: LDAPControl) throws {
        do {
            (kinds, changesOnly, returnsKinds) = try BERReader.reading(control.value ?? []) { reader in
                try reader.container(BERReader.Tag.sequence) { reader in
                    (try reader.integer(), try reader.boolean(), try reader.boolean())
                }
            }
        } catch {
            throw LDAPResult(.protocolError, "The control for a persistent search cannot be read.")
        }
        guard (1...15).contains(kinds) else {
            throw LDAPResult(.protocolError, "A persistent search names kinds of changes from 1 to 15.")
        }
    }

    /// The control of an entry that tells what has changed.
    ///
    /// - Parameter previous: The distinguished name before a renaming.
    static func answer(_ kind: Kind, previous: String?, number: Int64) -> LDAPControl {
        var writer = BERWriter()
        writer.container { writer in
            writer.enumerated(kind.rawValue)
            if let previous { writer.text(previous) }
            if let number = Int32(exactly: number) { writer.integer(number) }
        }
        return LDAPControl(identifier: SupportedControl.entryChange, value: writer.finish())
    }
}

extension SearchRun {
    /// Sends the entries that are there, if the client wants them, and then each entry that changes.
    mutating func follow(_ persistence: PersistentSearch) async throws -> LDAPResult {
        let start = try await view().changes.lastSequence() as Int64
        if !persistence.changesOnly {
            let result = try await find()
            guard result == .success else { return result }
        }
        try await follow(since: start) { followed in
            guard persistence.kinds & followed.kind.rawValue != 0, followed.isFound || followed.kind == .delete else {
                return nil
            }
            guard persistence.returnsKinds else { return [] }
            return [
                PersistentSearch.answer(followed.kind, previous: followed.previous, number: followed.change.sequence)
            ]
        }
        return .success
    }
}
