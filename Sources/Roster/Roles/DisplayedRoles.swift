import RosterStore
import RosterText

/// Unique names for roles that a client knows by their display names alone. Display names are texts for people: they follow no
/// rules, and several roles may have the same.
extension TransactionRoles {
    /// The new unique name of a role whose display name changes; nil if the name stays, because it was not made of the
    /// display name.
    package func name(of role: Role, displayedAs text: String) throws -> String? {
        guard let old = role.attributes["displayName"]?.text else { return nil }
        let base = Self.name(for: old)
        guard role.name == base || Self.number(of: role.name, after: base) != nil else { return nil }
        let new = Self.name(for: text)
        return new == base ? nil : try freeName(for: text, except: role)
    }

    /// The name for a display name, with a number where another role has the name.
    fileprivate func freeName(for text: String, except role: Role? = nil) throws -> String {
        let base = Self.name(for: text)
        func isFree(_ name: String) throws -> Bool {
            guard let key = try? EntityName(new: name).key else { return false }
            return try transaction.connection.first(RoleStatements.byName, text: key) { $0.integer(0) }
                .map { $0 == role?.id.rawValue } ?? true
        }
        if try isFree(base) { return base }
        // Not one after the other, for there can be thousands.
        let key = TextKey.of(base)
        var number =
            2 + (try transaction.connection.first(RoleStatements.suffixedNames, text: key) { $0.integer(0) } ?? 0)
        while try !isFree("\(base)-\(number)") { number += 1 }
        return "\(base)-\(number)"
    }

    /// The number behind a name and a hyphen.
    private static func number(of name: String, after base: String) -> Int? {
        name.hasPrefix(base + "-") ? Int(name.dropFirst(base.count + 1)) : nil
    }

    /// A display name as a name: without what names cannot have, and without what a path cannot carry. Nothing is left of
    /// some texts.
    private static func name(for text: String) -> String {
        var kept = ""
        for character in text.prefix(longestName) {
            let isKept = (try? EntityName("x\(character)x")) != nil && EntityName.isAddressable("x\(character)")
            kept += isKept ? String(character) : " "
        }
        let name = kept.split(separator: " ").joined(separator: " ")
        if (try? EntityName(new: name)) != nil { return name }
        return (try? EntityName(new: name + "-group")) != nil ? name + "-group" : "group"
    }

    /// The most characters that are taken from a display name, so that a number has its place behind them.
    private static let longestName = 200
}

extension ProvisionerRoles {
    /// Creates a role whose unique name is made of its display name.
    package func create(displayedAs text: String, _ attributes: AttributeSet) throws -> Role {
        try create(try transaction.roles.freeName(for: text), attributes)
    }
}
