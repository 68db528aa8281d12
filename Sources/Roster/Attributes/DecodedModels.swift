import Foundation
import RosterText

/// Users and roles as the app's own `Codable` types.
///
/// ```swift
/// struct Person: Codable {
///     var uid: String
///     var givenName: String?
///     var mail: String?
/// }
/// let ada = try users.user("ada").decoded(as: Person.self)
/// try users.create(attributes: AttributeSet(encoding: Person(uid: "grace", …)))
/// ```
extension User {
    /// Decodes the fetched values of the user as a value of the app's own type. The keys of the type are names of attributes.
    ///
    /// The keys can be `id`, `uid`, `active`, `manager` (an identifier), `memberOf`, `version`, `created` and `modified`, each
    /// standard attribute, the attributes that the app has declared, and the names that other protocols have for them, such as
    /// `firstName`. An enumeration, a `Date`, a `Data`, a `URL` and a `UUID` can be decoded from the values that ``Attribute`` takes
    /// for them, and a nested type from the parts of a complex value. A `Date` is also decoded from a text such as `2026-01-31`.
    ///
    /// - Throws: `invalidAttribute` with the attribute that is missing or has another kind.
    public func decoded<Model: Decodable>(as type: Model.Type = Model.self) throws -> Model {
        let vocabulary = view.vocabulary
        return try Models.decode(type, Models.names(for: .user, vocabulary).map { ($0, self[AttributeName($0)]) }) {
            isFetched(AttributeName($0))
        }
    }
}

extension Role {
    /// Decodes the fetched values of the role as a value of the app's own type, as `decoded(as:)` of ``User`` does. The key `name`
    /// holds the name of the role.
    ///
    /// - Throws: `invalidAttribute` with the attribute that is missing or has another kind.
    public func decoded<Model: Decodable>(as type: Model.Type = Model.self) throws -> Model {
        let vocabulary = view.vocabulary
        return try Models.decode(type, Models.names(for: .role, vocabulary).map { ($0, self[AttributeName($0)]) }) {
            isFetched(AttributeName($0))
        }
    }
}

extension AttributeSet {
    /// Makes a set of attributes from a value of the app's own type, whose keys are names of attributes. `create(attributes:)` and
    /// `modify(_:attributes:ifVersion:)` take the set.
    ///
    /// The set omits what the directory itself keeps: `id`, `memberOf`, `version`, `created` and `modified`. An optional without a
    /// value is omitted as well, so that the attribute keeps its value; clear it with `AttributeChange.clear(_:)`.
    ///
    /// - Throws: `invalidAttribute` for a model that has no keys, and for a number that is not finite.
    public init(encoding model: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in try AttributeValue.time(date).encode(to: encoder) }
        encoder.dataEncodingStrategy = .custom { data, encoder in try AttributeValue.binary(data).encode(to: encoder) }
        do {
            self = try JSONDecoder().decode(AttributeSet.self, from: encoder.encode(model))
        } catch {
            throw DirectoryError(
                .invalidAttribute, "A '\(type(of: model))' has no form as attributes.",
                advice: "Encode a type with a key for each attribute, and with finite numbers.",
                attribute: (error as? EncodingError)?.attribute)
        }
        for name in [AttributeName.id, .memberOf, .version, .created, .modified] { self[name] = nil }
    }
}

private enum Models {
    /// The names that a model can have as keys: the directory's own, and those of other protocols.
    static func names(for entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary) -> Set<String> {
        var names: Set<String> = []
        for definition in vocabulary.definitions(for: entity) {
            names.insert(definition.name.rawValue)
            names.formUnion(definition.names.values)
        }
        let aliases = entity == .user ? StandardAttributes.userAliases : StandardAttributes.roleAliases
        names.formUnion(aliases.keys)
        return names
    }

    /// Decodes a model from the values that are there.
    ///
    /// - Parameter isFetched: Whether the attribute of a name was fetched, for the advice of an error.
    static func decode<Model: Decodable>(
        _ type: Model.Type, _ values: [(name: String, value: AttributeValue?)], isFetched: (String) -> Bool
    ) throws -> Model {
        let members = values.compactMap { name, value in value.map { JSONValue.Member(name, JSONValue($0)) } }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try String(from: decoder)
            guard let date = Timestamp.date(text) ?? Timestamp.date(text + "T00:00:00Z") else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "Not a date."))
            }
            return date
        }
        do {
            return try decoder.decode(type, from: Data(JSONValue.object(members).bytes))
        } catch let error as DecodingError {
            throw refusal(of: type, error, isFetched)
        }
    }

    private static func refusal(
        of type: any Decodable.Type, _ error: DecodingError, _ isFetched: (String) -> Bool
    ) -> DirectoryError {
        let path: [any CodingKey]
        var isMissing = false
        switch error {
        case .keyNotFound(let key, let context):
            path = context.codingPath + [key]
            isMissing = true
        case .valueNotFound(_, let context), .typeMismatch(_, let context), .dataCorrupted(let context):
            path = context.codingPath
        @unknown default: path = []
        }
        guard let name = path.first?.stringValue else {
            return DirectoryError(
                .invalidAttribute, "A '\(type)' cannot be decoded from attributes.",
                advice: "Decode a type with a key for each attribute.")
        }
        let shown = EntityName.shown(name)
        if isMissing, path.count == 1 {
            return DirectoryError(
                .invalidAttribute, "A '\(type)' needs \(shown), and there is no value.",
                advice: isFetched(name)
                    ? "Make the property optional, or give the attribute a value."
                    : "Fetch the attribute with 'attributes:', or make the property optional.",
                attribute: AttributeName(name))
        }
        return DirectoryError(
            .invalidAttribute, "The value of \(shown) is not what a '\(type)' expects.",
            advice: "Compare the type of the property with the kind of the attribute.", attribute: AttributeName(name))
    }
}

extension EncodingError {
    fileprivate var attribute: AttributeName? {
        guard case .invalidValue(_, let context) = self else { return nil }
        return (context.codingPath.first?.stringValue).map { AttributeName($0) }
    }
}
