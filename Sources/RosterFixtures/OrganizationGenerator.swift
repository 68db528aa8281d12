public import Roster
import RosterText

/// Generates a plausible organisation of any size. The same size and seed number always give the same people.
///
/// One person is at the top, and everyone else has a manager with about eight reportees. Departments begin below the
/// first level, titles depend on the level, names come from five languages, and some accounts are disabled. Memory use
/// does not grow with the size.
public struct OrganizationGenerator: Sendable {
    /// The number of people.
    public let people: Int
    /// The number that selects one of the organisations of that size.
    public let seedNumber: UInt64

    /// Describes an organisation of at least one person.
    public init(people: Int, seedNumber: UInt64) {
        self.people = max(1, people)
        self.seedNumber = seedNumber
    }

    /// Creates the people in one transaction, and then the roles `executives` and `managers of` each department.
    ///
    /// - Parameters:
    ///   - view: An administrator's view of a directory without any of these people.
    ///   - progress: Called occasionally with the number of created people.
    public func load(into view: DirectoryView, progress: (@Sendable (Int) -> Void)? = nil) throws {
        try view.users.load(GeneratedPeople(self), progress: progress)
        for (role, members) in roles {
            try view.roles.create(role)
            try view.roles.add(members.map { .user(.named(uid($0))) }, to: .named(role))
        }
    }

    /// Creates the people and roles, as the synchronous form does.
    public func load(into view: DirectoryView, progress: (@Sendable (Int) -> Void)? = nil) async throws {
        try await view.users.load(GeneratedPeople(self), progress: progress)
        for (role, members) in roles {
            try await view.roles.create(role)
            try await view.roles.add(members.map { .user(.named(uid($0))) }, to: .named(role))
        }
    }

    /// A hash of the whole organisation: 16 hexadecimal digits.
    public var digest: String {
        var hash = FNV1a()
        for index in 0..<people {
            let user = user(index)
            var text = "\(user.uid)|\(user.isActive)|\(user.manager.map(\.description) ?? "")"
            for entry in user.attributes { text += "|\(entry.name)=\(entry.value.text ?? "")" }
            hash.combine(text.utf8)
        }
        return hash.text
    }

    // MARK: One person

    private static let span = 8

    private func manager(of index: Int) -> Int? { index == 0 ? nil : (index - 1) / Self.span }

    /// The person's level, and the second-level person who heads the person's department.
    private func place(of index: Int) -> (level: Int, department: Int) {
        var level = 0
        var below = index
        var current = index
        while let manager = manager(of: current) {
            below = current
            current = manager
            level += 1
        }
        return (level, level == 0 ? 0 : below)
    }

    private func mixed(_ index: Int, _ purpose: UInt64) -> Int {
        // SplitMix64 computes the number for each index and purpose independently, in any order.
        var value = seedNumber &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15 &+ purpose &* 0xD1B5_4A32_D192_ED03
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) >> 33)
    }

    private func pick(_ list: [String], _ index: Int, _ purpose: UInt64) -> String {
        list[mixed(index, purpose) % list.count]
    }

    private func names(_ index: Int) -> (given: String, family: String, asciiFamily: String, locale: String) {
        let language = NamePool.languages[mixed(index, 1) % NamePool.languages.count]
        let family = language.family[mixed(index, 3) % language.family.count]
        return (pick(language.given, index, 2), family.name, family.ascii, language.locale)
    }

    func uid(_ index: Int) -> String { "\(names(index).asciiFamily)\(index + 1)" }

    func user(_ index: Int) -> NewUser {
        let names = names(index)
        let (level, department) = place(of: index)
        let departmentName =
            level == 0 ? "Executive Office" : NamePool.departments[(department - 1) % NamePool.departments.count]
        let isLead = index * Self.span + 1 < people
        let full = names.locale == "ja-JP" ? "\(names.family) \(names.given)" : "\(names.given) \(names.family)"
        let uid = uid(index)
        var attributes: AttributeSet = [
            "givenName": .string(names.given), "familyName": .string(names.family), "commonName": .string(full),
            "displayName": .string(full), "mail": .string("\(uid)@example.com"), "department": .string(departmentName),
            "title": .string(title(level, isLead, index, departmentName)), "locale": .string(names.locale),
            "employeeNumber": .string(String(100_000 + index)),
            "telephoneNumber": .string("+49 30 \(1_000_000 + mixed(index, 5) % 9_000_000)"),
            "preferredLanguage": .string(String(names.locale.prefix(2))),
        ]
        if mixed(index, 6) % 3 == 0 {
            attributes["mobile"] = .string("+49 170 \(1_000_000 + mixed(index, 7) % 9_000_000)")
        }
        return NewUser(
            uid, attributes: attributes, manager: manager(of: index).map { .named(self.uid($0)) },
            isActive: index == 0 || mixed(index, 8) % 50 != 0)
    }

    private func title(_ level: Int, _ isLead: Bool, _ index: Int, _ department: String) -> String {
        switch (level, isLead) {
        case (0, _): "Chief Executive"
        case (1, _): "Head of \(department)"
        case (2, true): "Director"
        case (_, true): "Team Lead"
        default: pick(NamePool.titles, index, 9)
        }
    }

    private var roles: [(name: String, members: [Int])] {
        let executives = Array(0..<min(people, 1 + Self.span))
        var roles = [("executives", executives)]
        for head in executives.dropFirst() {
            let first = head * Self.span + 1
            let leads = first < people ? Array(first..<min(people, first + Self.span)) : []
            roles.append(
                ("managers of \(NamePool.departments[(head - 1) % NamePool.departments.count])", [head] + leads))
        }
        return roles
    }
}

/// The people of an organisation, generated one at a time.
private struct GeneratedPeople: Sequence, IteratorProtocol, Sendable {
    private let generator: OrganizationGenerator
    private var index = 0

    init(_ generator: OrganizationGenerator) { self.generator = generator }

    mutating func next() -> NewUser? {
        guard index < generator.people else { return nil }
        defer { index += 1 }
        return generator.user(index)
    }
}
