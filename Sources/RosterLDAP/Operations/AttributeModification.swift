import Roster
import RosterText

/// A modification of an attribute, which it turns into changes of the directory.
struct AttributeModification {
    let kind: LDAPModification.Kind
    let values: [[UInt8]]
    let input: EntryInput

    /// The changes of an attribute of the vocabulary.
    ///
    /// - Parameter current: Its present value.
    func changes(
        of definition: AttributeDefinition, from current: AttributeValue?
    ) throws -> [AttributeChange] {
        let name = definition.name
        let given = try values.map { try input.value($0, of: definition) }
        func isSame(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
            guard case .string(let left) = left, case .string(let right) = right, !definition.isCaseExact else {
                return left == right
            }
            return TextKey.of(left) == TextKey.of(right)
        }
        let present = current?.elements ?? []
        func has(_ value: AttributeValue) -> Bool { present.contains { isSame($0, value) } }
        switch kind {
        case .add:
            guard !given.isEmpty else { throw LDAPResult(.protocolError, "An attribute has no values.") }
            guard !given.contains(where: has) else {
                throw LDAPResult(.attributeOrValueExists, "'\(name)' has that value.")
            }
            if definition.isMultiValued { return [.add(name, given)] }
            guard let value = given.first, given.count == 1, present.isEmpty else {
                throw LDAPResult(.constraintViolation, "'\(name)' has one value.")
            }
            return [.set(name, value)]
        case .delete:
            guard !present.isEmpty, given.allSatisfy(has) else {
                throw LDAPResult(.noSuchAttribute, "'\(name)' has no such value.")
            }
            return given.isEmpty || !definition.isMultiValued ? [.clear(name)] : [.remove(name, given)]
        case .replace:
            if given.isEmpty { return present.isEmpty ? [] : [.clear(name)] }
            if definition.isMultiValued { return [.set(name, .list(given))] }
            guard let value = given.first, given.count == 1 else {
                throw LDAPResult(.constraintViolation, "'\(name)' has one value.")
            }
            return [.set(name, value)]
        case .increment:
            guard case .integer(let number)? = current, case .integer(let step)? = given.first, given.count == 1 else {
                throw LDAPResult(.constraintViolation, "'\(name)' is no whole number.")
            }
            let (sum, overflows) = number.addingReportingOverflow(step)
            guard !overflows else { throw LDAPResult(.constraintViolation, "'\(name)' would be too large.") }
            return [.set(name, .integer(sum))]
        }
    }

    /// The changes of the mail addresses.
    ///
    /// - Parameter elements: The present addresses.
    func changesOfMails(from elements: [AttributeValue]) throws -> [AttributeChange] {
        let texts = try values.map { try input.text($0, "mail") }
        func has(_ text: String) -> Bool {
            elements.contains { $0.text.map { TextKey.of($0) == TextKey.of(text) } ?? false }
        }
        switch kind {
        case .add:
            guard !texts.contains(where: has) else {
                throw LDAPResult(.attributeOrValueExists, "The user has that address already.")
            }
            return [.add("emails", texts.map { .string($0) })]
        case .delete:
            guard !elements.isEmpty, texts.allSatisfy(has) else {
                throw LDAPResult(.noSuchAttribute, "The user has no such address.")
            }
            return texts.isEmpty ? [.clear("emails")] : [.remove("emails", texts.map { .string($0) })]
        case .replace:
            // An address that stays keeps its other parts, such as its type.
            let kept = texts.map { text in
                elements.first { $0.text.map { TextKey.of($0) == TextKey.of(text) } ?? false } ?? .string(text)
            }
            return kept.isEmpty ? [.clear("emails")] : [.set("emails", .list(kept))]
        case .increment: throw LDAPResult(.constraintViolation, "'mail' is no number.")
        }
    }
}
