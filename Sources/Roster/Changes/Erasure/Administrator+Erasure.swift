import RosterStore
import RosterText

extension Administrator {
    /// The identifiers of the deleted users with a name, latest first.
    func deletedUsers(_ name: String) throws -> [UserID] {
        let key = FoldedText.of(name)
        return try transaction.connection.all(ErasureStatements.deletedUsers) {
            (UserID(rawValue: $0.integer(0)), $0.text(1))
        }
        .filter { FoldedText.of($0.1) == key }.map(\.0)
    }
}
