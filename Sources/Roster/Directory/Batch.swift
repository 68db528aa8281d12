import RosterStore

/// Several changes that the directory makes as one. After an error it keeps none of them.
///
/// ```swift
/// try view.perform([
///     .createUser(NewUser("grace")),
///     .createUser(NewUser("ada", manager: "grace")),
///     .createRole("engineers"),
///     .add([.user("ada")], to: "engineers"),
/// ])
/// ```
///
/// A batch is a value: unlike the closure of a transaction, a batch can be stored
/// and sent. Later operations may name what earlier ones create.
public struct Batch: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// One change.
    public enum Operation: Sendable, Hashable {
        /// Creates a user.
        case createUser(NewUser)
        /// Changes attributes of a user. `ifVersion` is the version that the change is based on.
        case modifyUser(UserReference, [AttributeChange], ifVersion: Int64? = nil)
        /// Deletes a user.
        case deleteUser(UserReference, reportees: ReporteePolicy = .refuse, ifVersion: Int64? = nil)
        /// Creates a role.
        case createRole(String, AttributeSet = [:])
        /// Changes attributes of a role. `ifVersion` is the version that the change is based on.
        case modifyRole(RoleReference, [AttributeChange], ifVersion: Int64? = nil)
        /// Deletes a role.
        case deleteRole(RoleReference, ifVersion: Int64? = nil)
        /// Makes users and roles members or owners of a role.
        case add([RoleSubject], to: RoleReference, as: RoleRelation = .member)
        /// Ends the direct membership or ownership of users and roles.
        case remove([RoleSubject], from: RoleReference, as: RoleRelation = .member)
    }

    /// The result of an operation.
    public enum Outcome: Sendable, Hashable {
        /// The user as it was after the operation.
        case user(User)
        /// The role as it was after the operation.
        case role(Role)
        /// The operation has deleted something, or has changed the members or owners of a role.
        case none
    }

    /// The changes, in the order in which they are made.
    public var operations: [Operation]

    /// Makes a batch of changes.
    public init(_ operations: [Operation] = []) { self.operations = operations }

    /// Makes a batch of changes.
    public init(arrayLiteral operations: Operation...) { self.operations = operations }
}

/// The changes of users and roles that are given by names, by identifiers or as they were read before.
extension Batch.Operation {
    /// Changes attributes of a user. `ifVersion` is the version that the change is based on.
    @_disfavoredOverload
    public static func modifyUser(
        _ user: some UserReferenceConvertible, _ changes: [AttributeChange], ifVersion version: Int64? = nil
    ) -> Batch.Operation {
        .modifyUser(user.userReference, changes, ifVersion: version)
    }
    /// Deletes a user.
    @_disfavoredOverload
    public static func deleteUser(
        _ user: some UserReferenceConvertible, reportees: ReporteePolicy = .refuse, ifVersion version: Int64? = nil
    ) -> Batch.Operation {
        .deleteUser(user.userReference, reportees: reportees, ifVersion: version)
    }
    /// Changes attributes of a role. `ifVersion` is the version that the change is based on.
    @_disfavoredOverload
    public static func modifyRole(
        _ role: some RoleReferenceConvertible, _ changes: [AttributeChange], ifVersion version: Int64? = nil
    ) -> Batch.Operation {
        .modifyRole(role.roleReference, changes, ifVersion: version)
    }
    /// Deletes a role.
    @_disfavoredOverload
    public static func deleteRole(
        _ role: some RoleReferenceConvertible, ifVersion version: Int64? = nil
    ) -> Batch.Operation {
        .deleteRole(role.roleReference, ifVersion: version)
    }
    /// Makes users and roles members or owners of a role.
    @_disfavoredOverload
    public static func add(
        _ subjects: [RoleSubject], to role: some RoleReferenceConvertible, as relation: RoleRelation = .member
    ) -> Batch.Operation {
        .add(subjects, to: role.roleReference, as: relation)
    }
    /// Ends the direct membership or ownership of users and roles.
    @_disfavoredOverload
    public static func remove(
        _ subjects: [RoleSubject], from role: some RoleReferenceConvertible, as relation: RoleRelation = .member
    ) -> Batch.Operation {
        .remove(subjects, from: role.roleReference, as: relation)
    }
}

extension DirectoryView {
    /// Makes several changes as one.
    ///
    /// - Parameter batch: The changes, in their order.
    /// - Returns: The result of each operation, in the same order.
    /// - Throws: The error of the first operation that fails. Its ``DirectoryError/place`` has the number of the operation. The
    ///   directory is unchanged.
    @discardableResult
    public func perform(_ batch: Batch) throws -> [Batch.Outcome] { try change(PerformBatch(batch: batch)) }

    /// Makes several changes as one, as the synchronous form does.
    @discardableResult
    public func perform(_ batch: Batch) async throws -> [Batch.Outcome] {
        try await change(PerformBatch(batch: batch))
    }
}

extension Transaction {
    func perform(_ batch: Batch) throws -> [Batch.Outcome] {
        try takeShare(rows: batch.operations.count)
        try checkAnswer(of: batch)
        var outcomes: [Batch.Outcome] = []
        for operation in batch.operations {
            do {
                let outcome = try perform(operation)
                try clientLimits?.count(answerBytes: outcome.recordBytes)
                outcomes.append(outcome)
            } catch let error as DirectoryError {
                throw error.at(DirectoryError.Place(operation: outcomes.count + 1))
            }
        }
        return outcomes
    }

    /// Refuses a client's batch whose answer would be too long, before the work for the batch.
    private func checkAnswer(of batch: Batch) throws {
        guard clientLimits != nil else { return }
        var (users, roles): ([UserReference], [RoleReference]) = ([], [])
        for operation in batch.operations {
            switch operation {
            case .modifyUser(let user, _, _): users.append(user)
            case .modifyRole(let role, _, _): roles.append(role)
            default: break
            }
        }
        func bytes<Entity>(
            _ references: [Reference<Entity>], _ found: [Reference<Entity>: Identifier<Entity>], _ sql: SQL
        ) throws -> Int {
            guard !found.isEmpty else { return 0 }
            let ids = connection.array(Set(found.values.map(\.rawValue)).sorted())
            let sizes = Dictionary(try connection.all(sql, [ids]) { ($0.integer(0), Int($0.integer(1))) }) { $1 }
            return references.reduce(0) { sum, reference in
                sum + (found[reference].flatMap { sizes[$0.rawValue] } ?? 0)
            }
        }
        let total =
            try bytes(users, references.ids(of: users), UserStatements.recordSizes)
            + bytes(roles, references.ids(of: roles), RoleStatements.recordSizes)
        guard total <= ClientLimits.largestAnswer else { throw ClientLimits.exceeded }
    }

    private func perform(_ operation: Batch.Operation) throws -> Batch.Outcome {
        switch operation {
        case .createUser(let new): return .user(try CreateUser(user: new).run(in: self))
        case .modifyUser(let user, let changes, let version):
            return .user(try ModifyUser(user: user, changes: changes, ifVersion: version).run(in: self))
        case .deleteUser(let user, let reportees, let version):
            _ = try DeleteUser(user: user, reportees: reportees, ifVersion: version, isErasing: false).run(in: self)
        case .createRole(let name, let attributes):
            return .role(try CreateRole(role: name, attributes: attributes).run(in: self))
        case .modifyRole(let role, let changes, let version):
            return .role(try ModifyRole(role: role, changes: changes, ifVersion: version).run(in: self))
        case .deleteRole(let role, let version): _ = try DeleteRole(role: role, ifVersion: version).run(in: self)
        case .add(let subjects, let role, let relation):
            _ = try AddToRole(subjects: subjects, role: role, relation: relation, ifVersion: nil).run(in: self)
        case .remove(let subjects, let role, let relation):
            _ = try RemoveFromRole(subjects: subjects, role: role, relation: relation, ifVersion: nil).run(in: self)
        }
        return .none
    }
}

extension Batch {
    /// The same batch after the work that needs no transaction.
    var prepared: Batch {
        Batch(
            operations.map { operation in
                switch operation {
                case .modifyUser(let user, let changes, let version):
                    .modifyUser(user, changes.map(\.withoutRepetitions), ifVersion: version)
                case .modifyRole(let role, let changes, let version):
                    .modifyRole(role, changes.map(\.withoutRepetitions), ifVersion: version)
                default: operation
                }
            })
    }
}

extension Batch.Outcome {
    /// The bytes of the record in the outcome.
    fileprivate var recordBytes: Int {
        switch self {
        case .user(let user): user.attributes.storedRecord?.count ?? 0
        case .role(let role): role.attributes.storedRecord?.count ?? 0
        case .none: 0
        }
    }
}
