import Foundation
import RosterStore
import RosterText

/// The stored rows of users in a transaction, with the entries of the table of values and of the text index.
struct TransactionUserRows {
    let transaction: Transaction

    /// Stores the row of a new user.
    func insert(_ user: PreparedUser, id: UserID, manager: UserID?, at time: Date) throws {
        try transaction.connection.run(UserStatements.insert) { statement in
            try statement.bind(id.rawValue, at: 1)
            try statement.bind(user.name.text, at: 2)
            try statement.bind(user.name.key, at: 3)
            try statement.bind(user.isActive ? 1 : 0, at: 4)
            try statement.bind(manager?.rawValue, at: 5)
            try statement.bind(time.milliseconds, at: 6)
            for (index, key) in user.keys.columnKeys.enumerated() { try statement.bind(key, at: Int32(index + 7)) }
            try statement.bind(user.record, at: 14)
            try statement.bind(user.dates.starts, at: 15)
            try statement.bind(user.dates.ends, at: 16)
        }
    }

    /// Adds a new user to the table of values.
    func insertValues(_ values: Set<UserKeys.Value>, id: Int64) throws {
        for value in values {
            try transaction.connection.run(UserStatements.insertValue) { statement in
                try statement.bind(value.attribute, at: 1)
                try statement.bind(transaction.connection.stored(value.key), at: 2)
                try statement.bind(id, at: 3)
            }
        }
    }

    /// Adds a new user to the text index.
    func insertText(_ text: [Binding], id: Int64) throws {
        try transaction.connection.run(TextIndexStatements.insertText) { statement in
            try statement.bind(id, at: 1)
            for (index, column) in text.enumerated() { try statement.bind(column, at: Int32(index + 2)) }
        }
    }

    func checkUnique(_ values: some Sequence<UserKeys.Value>, of id: UserID) throws {
        guard transaction.vocabulary.hasUnique else { return }
        let unique = values.filter {
            transaction.vocabulary.definition(of: AttributeName($0.attribute))?.isUnique == true
        }
        // Sorted, so that the same one of several taken values is named each time.
        for value in unique.sorted(by: { $0.attribute < $1.attribute }) {
            let isTaken = try transaction.connection.first(
                UserStatements.holderOfValue,
                [.text(value.attribute), transaction.connection.stored(value.key), .integer(id.rawValue)]
            ) { _ in true }
            if isTaken == true {
                throw DirectoryError(
                    .alreadyExists, "Another user has that value of '\(value.attribute)', which is unique.",
                    advice: "Choose another value.", attribute: AttributeName(value.attribute))
            }
        }
    }

    /// Changes the entries of a user in the table of values.
    func updateValues(of user: UserID, _ old: Set<UserKeys.Value>, _ new: Set<UserKeys.Value>) throws {
        let id = Binding.integer(user.rawValue)
        let (removed, added) = (old.subtracting(new), new.subtracting(old))
        try transaction.takeShare(rows: removed.count + added.count)
        for value in removed {
            try transaction.connection.run(
                UserStatements.deleteValue, [.text(value.attribute), transaction.connection.stored(value.key), id],
                changing: .none)
        }
        try checkUnique(added, of: user)
        for value in added {
            try transaction.connection.run(
                UserStatements.insertValue, [.text(value.attribute), transaction.connection.stored(value.key), id],
                changing: .none)
        }
    }
}
