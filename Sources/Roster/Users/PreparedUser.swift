import Foundation
import RosterStore
import RosterText

/// A checked new user in the form in which it is stored. A class, since it is handed from list to list.
final class PreparedUser: Sendable {
    let name: EntityName
    let isActive: Bool
    let manager: UserReference?
    let record: String
    let keys: UserKeys
    /// The text index's entry without the identifier.
    let text: [Binding]
    /// The word index's entry without the identifier.
    let words: String
    let dates: AccountDates
    /// The values that are stored outside the user's record: the password and the client's identifier.
    let outsideRecord: [AttributeChange]
    /// The user's creation for the change feed.
    let history: History

    /// The values for the change feed's entry. The manager is added when the user is stored, because the manager's
    /// identifier is not known before.
    struct History: Sendable {
        private let head: String
        private let tail: String

        init(_ attributes: AttributeSet, uid: String, isActive: Bool) {
            var values = attributes
            values["uid"] = .string(uid)
            values["active"] = .boolean(isActive)
            head = values.filtered { $0 < "manager" }.record
            tail = values.filtered { !($0 < "manager") }.record
        }

        func text(manager: UserID?) -> String {
            guard let manager else { return head + tail }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(head.utf8.count + tail.utf8.count + 16)
            bytes.append(contentsOf: head.utf8)
            RecordText.append("manager", .string(manager.description), to: &bytes)
            bytes.append(contentsOf: tail.utf8)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    convenience init(_ new: NewUser, _ vocabulary: Vocabulary) throws {
        var builder = PreparedAttributes()
        for entry in new.attributes {
            guard let definition = vocabulary.definition(of: entry.name) else {
                throw vocabulary.unknownAttribute(entry.name, of: .user)
            }
            try builder.set(definition, entry.value)
        }
        try self.init(
            name: EntityName(new: new.uid, isFromProvider: new.isNamedByProvider), isActive: new.isActive,
            manager: new.manager, builder, vocabulary)
    }

    init(
        name: EntityName, isActive: Bool, manager: UserReference?, _ prepared: PreparedAttributes,
        _ vocabulary: Vocabulary
    ) {
        self.name = name
        self.isActive = isActive
        self.manager = manager
        outsideRecord = prepared.outsideRecord
        record = prepared.attributes.record
        dates = AccountDates(prepared.attributes)
        keys = UserKeys(name: name.key, attributes: prepared.attributes, vocabulary: vocabulary)
        text = keys.text
        words = UserWords(name: name.key, attributes: prepared.attributes).text
        history = History(
            prepared.attributes.withoutSecrets(vocabulary, of: .user).shrunk, uid: name.text, isActive: isActive)
    }
}

/// The attributes of a new user while they are being set.
struct PreparedAttributes {
    private(set) var attributes = AttributeSet()
    private(set) var outsideRecord: [AttributeChange] = []
    /// The steps that are left for the patterns of values.
    private var steps = Pattern.maximumSteps

    /// - Throws: `invalidAttribute`.
    mutating func set(_ definition: AttributeDefinition, _ value: AttributeValue) throws {
        if TransactionAccounts.isOutsideRecord(definition.name) {
            outsideRecord.append(.set(definition.name, value))
            return
        }
        guard !Vocabulary.system.contains(definition.name) else {
            throw DirectoryError(
                .invalidAttribute, "The directory maintains '\(definition.name)', so it cannot be set.",
                attribute: definition.name)
        }
        try attributes.apply(.set(definition.name, value), definition, steps: &steps)
    }
}
