/// Passwords in plain text, which a seed for tests may have. Only the sign-in module can hash them; loading the seed without
/// it refuses them.
extension Seed {
    /// The password of a person in plain text.
    package struct PlainPassword: Sendable {
        /// The number of the person in the list, from 0.
        let person: Int
        /// The name of the person.
        package let uid: String
        /// The mail addresses of the person, which the password must not be.
        package let addresses: [String]
        /// The password.
        package let password: String
        /// The place of the password in the seed.
        package let place: DirectoryError.Place
    }

    /// The same seed with a hash in place of each of its passwords in plain text.
    ///
    /// - Parameter hash: Returns the hash of a password; nil to leave the person's password as the directory has it.
    package func hashingPasswords(_ hash: (PlainPassword) async throws -> String?) async throws -> Seed {
        var seed = self
        for password in plainPasswords { seed.hashes[password.person] = .some(try await hash(password)) }
        return seed
    }
}

extension Seed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the file, without the contents, which may have passwords in plain text.
    public var description: String { "Seed(\(name))" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// The name of the file alone.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

extension Seed.PlainPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the person and the place, without the password.
    package var description: String { "PlainPassword(\(EntityName.shown(uid)))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["uid": uid]) }
}

extension ImportRow {
    private static let vocabulary = Vocabulary()

    /// The index of the value that is a password in plain text; nil if there is none.
    private var plainPassword: Int? {
        values.firstIndex { value in
            // Most names are told apart by one character.
            guard value.name.rawValue.utf8.last.map({ $0 | 0x20 == UInt8(ascii: "d") }) == true,
                Self.vocabulary.definition(of: value.name)?.name == .password, case .string(let text) = value.value
            else { return false }
            return !text.isEmpty && !TransactionAccounts.looksHashed(text)
        }
    }

    /// The password in plain text of the person with this number; nil if there is none.
    func plainPassword(ofPerson number: Int, in file: String) -> Seed.PlainPassword? {
        guard let index = plainPassword, case .string(let text) = values[index].value else { return nil }
        let addresses = values.filter { [.mail, .emails].contains(Self.vocabulary.definition(of: $0.name)?.name) }
            .flatMap { value -> [String] in
                if case .list(let elements) = value.value { return elements.compactMap(\.text) }
                return [value.value.text].compactMap { $0 }
            }
        return Seed.PlainPassword(
            person: number, uid: name.text, addresses: addresses, password: text,
            place: .init(file: file, line: values[index].line, field: values[index].name.rawValue))
    }

    /// Puts a hash in place of the password in plain text; nil removes the password.
    mutating func replacePlainPassword(by hash: String?) {
        guard let index = plainPassword else { return }
        let value = values.remove(at: index)
        if let hash { values.insert(.init(name: value.name, value: .string(hash), line: value.line), at: index) }
    }
}
