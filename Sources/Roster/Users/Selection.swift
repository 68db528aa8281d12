import RosterText

/// The set of attributes to fetch.
struct Selection: Sendable {
    /// The attributes as the caller named them.
    let requested: AttributeSelection
    private let wanted: Set<AttributeName>?
    private let leftOut: [AttributeName]
    /// Whether the caller requested the roles of users. A user's record does not have the roles, so that they are read separately.
    let hasRoles: Bool

    /// Selects all attributes, for internal use.
    static let everything = Selection()
    private init() {
        requested = .all
        wanted = nil
        leftOut = []
        hasRoles = false
    }

    /// - Throws: `invalidAttribute` for a name that the vocabulary lacks.
    init(
        _ attributes: AttributeSelection, of entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary
    ) throws {
        requested = attributes
        switch attributes {
        case .usual: (wanted, leftOut, hasRoles) = (nil, vocabulary.onRequest, false)
        case .all: (wanted, leftOut, hasRoles) = (nil, [], true)
        case .only(let names):
            let wanted = try vocabulary.selections.stored(names, of: entity) {
                Set(
                    try names.filter { !Self.isAccessor($0, entity, vocabulary) }.map { name in
                        guard let stored = vocabulary.storedName(of: name, for: entity) else {
                            throw vocabulary.unknownAttribute(name, of: entity)
                        }
                        return stored
                    })
            }
            (self.wanted, leftOut, hasRoles) = (wanted, [], wanted.contains("memberOf"))
        }
    }

    /// Whether a name is that of an accessor of `OMUser` whose value every user has without an attribute: `uri`, `managerURI`,
    /// `reports`.
    private static func isAccessor(
        _ name: AttributeName, _ entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary
    ) -> Bool {
        entity == .user && ["uri", "managerURI", "reports"].contains(name.rawValue)
            && vocabulary.definition(of: name) == nil
    }

    func apply(to attributes: inout AttributeSet) {
        if let wanted {
            attributes = attributes.filtered { wanted.contains($0) }
        } else if !leftOut.isEmpty {
            attributes.leaveOut(leftOut)
        }
    }
}

/// Remembers the stored attributes of the latest lists of names, because a program asks for the same attributes again and again.
final class SelectionMemory: Sendable {
    private typealias Entry = (names: [AttributeName], entity: AttributeDefinition.Entity, stored: Set<AttributeName>)

    private static let mostLists = 8
    private static let mostNames = 64
    private let latest = Locked<[Entry]>([])

    /// Returns the stored attributes of a list of names, which a closure finds out for a list that is not remembered.
    func stored(
        _ names: [AttributeName], of entity: AttributeDefinition.Entity, _ find: () throws -> Set<AttributeName>
    ) rethrows -> Set<AttributeName> {
        let known = latest.withLock { $0.first { $0.entity == entity && $0.names == names }?.stored }
        if let known { return known }
        let stored = try find()
        guard names.count <= Self.mostNames else { return stored }
        latest.withLock { latest in
            if latest.count == Self.mostLists { latest.removeFirst() }
            latest.append((names, entity, stored))
        }
        return stored
    }
}
