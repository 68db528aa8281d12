import Roster
import RosterStore
import RosterText

extension AdministratorSettings {
    /// Stores a setting that was checked. An entry that comes without a secret keeps the stored one if that goes to the same
    /// place; the value `null` removes it.
    ///
    /// - Returns: Whether the setting is new.
    /// - Throws: `invalidInput` if the secret has to be given again; `limitExceeded`.
    func store(_ kind: StoredSetting.Kind, _ name: String, _ entry: JSONValue, _ keys: KeyRing) throws -> Bool {
        let old = try transaction.settings.setting(kind, name)
        if old == nil,
            try transaction.connection.first(SettingStatements.count, [], { $0.integer(0) }) ?? 0
                >= StoredSetting.maximumCount
        {
            throw DirectoryError(
                .limitExceeded, "The directory has \(StoredSetting.maximumCount) settings of the service already.",
                advice: "Delete those that are not needed.")
        }
        let (value, secret) = StoredSetting.parts(of: entry, kind)
        if let old, old.hasSecret, secret == nil, kind.destination(of: old.value) != kind.destination(of: value) {
            throw DocumentObject.problem(
                "", "has another address than before, and does not say which secret goes there.",
                "Give the secret again, or null for none.")
        }
        let sealed =
            switch secret {
            case nil: old?.sealedSecret
            case .string(let text)?: try keys.seal(text, SealedSecret.Owner.setting(kind, name).context)
            case .null?: String?.none
            case let other?:
                throw DocumentObject.mismatch(kind.secretPath?.joined(separator: ".") ?? "value", "a text", other)
            }
        let time = transaction.now()
        try transaction.connection.run(
            SettingStatements.store,
            [.text(kind.rawValue), .text(name), .text(value.written), .text(sealed), .integer(time.milliseconds)])
        try transaction.connection.run(SettingStatements.raiseVersion)
        var told: AttributeSet = ["value": .string(StoredSetting.told(value, kind, name))]
        if old?.sealedSecret != sealed { told["secretChanged"] = true }
        try transaction.feed.record(
            old == nil ? .created : .modified, .setting, id: 0, name: kind.rawValue + " " + name,
            before: old.map { ["value": .string(StoredSetting.told($0.value, kind, name))] }, after: told, at: time)
        return old == nil
    }

    /// Deletes a setting.
    ///
    /// - Throws: `notFound`.
    package func delete(_ kind: StoredSetting.Kind, _ name: String) throws {
        guard let old = try transaction.settings.setting(kind, name) else {
            throw DirectoryError(
                .notFound, "The directory has no such setting.",
                advice: "List the settings. A setting in a file of the server is changed in that file.")
        }
        try transaction.connection.run(SettingStatements.delete, [.text(kind.rawValue), .text(name)])
        try transaction.connection.run(SettingStatements.raiseVersion)
        try transaction.feed.record(
            .deleted, .setting, id: 0, name: kind.rawValue + " " + name,
            before: ["value": .string(StoredSetting.told(old.value, kind, name))], after: nil)
    }
}
