import Foundation
import RosterText

/// The operations that a server offers to its clients, by name.
package enum ServedOperations {
    private static let reads: [any ReadOperation.Type] = [
        ReadUser.self, FindUser.self, UserExists.self, ReadUsers.self, CountUsers.self, SearchUsers.self,
        SearchUsersByText.self, MatchUsers.self, DeletedUsers.self, ReadManager.self, ReadReportees.self,
        ReadChain.self, ReadBelow.self,
        CountReportees.self, IsBelow.self, RoleContains.self, ExplainSearch.self, ReadLowestCommonManager.self,
        ReadWithoutManager.self, ReadRole.self, FindRole.self,
        CountRoles.self, SearchRoles.self, ReadMember.self, ReadRoleUsers.self, CountRoleUsers.self,
        ReadNestedRoles.self, ReadRolesHaving.self, ReadPower.self, ReadLastSequence.self, ReadChanges.self,
        ReadMembershipChanges.self, ReadRetention.self, MayDo.self, AwaitCommit.self, ReadCaller.self,
        CheckDirectory.self,
    ]
    private static let changes: [any ChangeOperation.Type] = [
        CreateUser.self, CreateUserOfAttributes.self, UpsertUser.self, ModifyUser.self, DeleteUser.self,
        EraseUsers.self, SetManager.self, CreateRole.self, CreateRoleOfAttributes.self, ModifyRole.self,
        DeleteRole.self, AddToRole.self, RemoveFromRole.self, SetPower.self, DeclareAttributes.self,
        SetAttributeRights.self, ResetAttributeRights.self, WidenAttribute.self, RenameAttribute.self,
        SetAttributeIndex.self, SetAttributeRules.self, SetAttributeTexts.self, ChangeAttributeTexts.self,
        UndeclareAttribute.self, CompactChanges.self, SetRetention.self, PruneChanges.self,
        PerformBatch.self, BeginBatch.self, UndoBatch.self,
    ]

    /// The operations that change nothing.
    package static let readsByName = Dictionary(reads.map { ($0.name, $0) }) { $1 }
    /// The operations that change the directory.
    package static let changesByName = Dictionary(changes.map { ($0.name, $0) }) { $1 }
}

extension ServedOperation {
    /// The most arrays and objects within one another. This suffices for the deepest filter, see ``Filter/maximumDepth``.
    private static var maximumLevels: Int { 256 }

    /// Reads an operation that a client has sent.
    ///
    /// - Throws: ``DirectoryError`` `invalidInput`.
    package init(body: [UInt8]) throws {
        do {
            try JSONScanner.check(body, levels: Self.maximumLevels)
        } catch {
            throw DirectoryError(
                .invalidInput, "The body of the operation '\(Self.name)' is refused: \(error.problem).",
                advice: "Send JSON in UTF-8 with a smaller filter or shorter texts.")
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

/// The caller of the view, as the server knows the caller.
package struct ReadCaller: ReadOperation {
    package static let name = "caller"
    package static let isNarrow = true
    package var isBrief: Bool { true }
    package init() {}
    package func run(in transaction: Transaction) throws -> Caller { transaction.shared.caller }
}

extension Caller: WireValue {}
