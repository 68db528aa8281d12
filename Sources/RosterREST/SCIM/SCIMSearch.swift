import Roster
import RosterText

/// A search by query parameters, or by the body of `.search` (RFC 7644, sections 3.4.2 and 3.4.3; RFC 9865).
struct SCIMSearch: Sendable {
    /// The most resources on a page, which is also the number of resources if the client gives none.
    static let maximumCount = 1_000
    static let schema = "urn:ietf:params:scim:api:messages:2.0:SearchRequest"

    var filter: String?
    var sortBy: String?
    var isDescending = false
    var startIndex = 1
    var count = maximumCount
    /// The cursor if the client asks for pages by cursor. It is empty for the first page.
    var cursor: String?
    var attributes: [String] = []
    var excluded: [String] = []

    init(query call: Call) throws {
        filter = try Self.given(call, "filter")
        sortBy = try Self.given(call, "sortBy")
        try setOrder(try Self.given(call, "sortOrder"))
        cursor = try call.parameter("cursor")
        attributes = SCIMProjection.names(in: try call.parameter("attributes"))
        excluded = SCIMProjection.names(in: try call.parameter("excludedAttributes"))
        try setPage(startIndex: try Self.integer(call, "startIndex"), count: try Self.integer(call, "count"))
    }

    init(body: JSONValue) throws {
        guard body.member("schemas")?.elements.contains(where: { $0.text == Self.schema }) ?? false else {
            throw SCIMError(.invalidSyntax, "'schemas' does not have '\(Self.schema)'.")
        }
        func text(_ name: String) throws -> String? {
            switch body.member(name) {
            case nil, .null?: return nil
            case .string(let text)?: return text
            default: throw SCIMError(.invalidSyntax, "'\(name)' is text.")
            }
        }
        func names(_ name: String) throws -> [String] {
            switch body.member(name) {
            case nil, .null?: return []
            case .string(let text)?: return SCIMProjection.names(in: text)
            case .array(let elements)?:
                return try elements.map { element in
                    guard let text = element.text else {
                        throw SCIMError(.invalidSyntax, "'\(name)' is an array of names.")
                    }
                    return text
                }
            default: throw SCIMError(.invalidSyntax, "'\(name)' is an array of names.")
            }
        }
        func number(_ name: String) throws -> Int? {
            switch body.member(name) {
            case nil, .null?, .string("")?: return nil
            case let value?:
                // Some clients send numbers as text.
                guard let number = value.wholeNumber ?? value.text.flatMap({ Int($0) }) else {
                    throw SCIMError(.invalidSyntax, "'\(name)' is a whole number.")
                }
                return number
            }
        }
        filter = Self.given(try text("filter"))
        sortBy = Self.given(try text("sortBy"))
        try setOrder(Self.given(try text("sortOrder")))
        cursor = try text("cursor")
        attributes = try names("attributes")
        excluded = try names("excludedAttributes")
        try setPage(startIndex: try number("startIndex"), count: try number("count"))
    }

    private static func integer(_ call: Call, _ name: String) throws -> Int? {
        guard let text = try given(call, name) else { return nil }
        guard let number = Int(text) else {
            throw SCIMError(name == "count" ? .invalidCount : .invalidValue, "'\(name)' is a whole number.")
        }
        return number
    }

    /// A parameter of the query. Clients that build addresses from forms send empty ones for what they do not ask.
    private static func given(_ call: Call, _ name: String) throws -> String? { given(try call.parameter(name)) }

    private static func given(_ text: String?) -> String? { text.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 } }

    private mutating func setOrder(_ order: String?) throws {
        switch order?.lowercased() {
        case nil, "ascending": isDescending = false
        case "descending": isDescending = true
        default: throw SCIMError(.invalidValue, "'sortOrder' is ascending or descending.")
        }
    }

    /// Takes a start below one as one and a count below zero as zero (RFC 7644, section 3.4.2.4).
    private mutating func setPage(startIndex: Int?, count: Int?) throws {
        self.startIndex = max(startIndex ?? 1, 1)
        self.count = min(max(count ?? Self.maximumCount, 0), Self.maximumCount)
        if cursor != nil, startIndex != nil {
            throw SCIMError(.invalidValue, "'cursor' and 'startIndex' exclude each other.")
        }
    }

    // MARK: The directory's search

    func search(
        _ entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary, _ seal: Seal, _ type: SCIMResourceType
    ) throws -> Search {
        let start: Search.Start
        if let cursor, !cursor.isEmpty {
            start = .cursor(Cursor(try seal.open(cursor)))
        } else {
            start = .offset(startIndex - 1)
        }
        var search = Search(
            try filter.map { try Filter(scim: $0, vocabulary: vocabulary, for: entity).countingUntypedAddresses }
                ?? .everything,
            sortedBy: try (sortBy?.split(separator: ",", omittingEmptySubsequences: false) ?? []).map {
                Search.Sort(try Self.attribute(String($0), entity, vocabulary, type), descending: isDescending)
            },
            pageSize: count, from: start)
        search.includesTotal = true
        return search
    }

    /// The directory's attribute for one of SCIM's names, which results can be sorted by.
    private static func attribute(
        _ name: String, _ entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary, _ type: SCIMResourceType
    ) throws -> AttributeName {
        let path = try SCIMPath(name, in: type)
        guard path.filter == nil, let attribute = path.attribute else {
            throw SCIMError(.invalidPath, "Nothing can be sorted by that.")
        }
        let whole = (path.urn.map { $0 + ":" } ?? "") + attribute.name
        let named = path.part.map { whole + "." + $0.name } ?? whole
        let candidates = [named, attribute.name == "name" ? "name.formatted" : whole, attribute.name]
        guard
            let definition = candidates.lazy.compactMap({
                vocabulary.definition(named: $0, in: .scim, for: entity)
            }).first
        else { throw SCIMError(.invalidPath, "Nothing can be sorted by '\(name.prefix(100))'.") }
        return definition.name
    }

    /// Whether one look-up answers the search, so that it does not wait in the queue of searches.
    static func isBrief(_ search: Search) -> Bool {
        guard case .compare(let path, .equal, _) = search.filter, search.sort.isEmpty, path.part == nil else {
            return false
        }
        return ["uid", "id", "externalId", "name"].contains(path.attribute.rawValue)
    }
}

extension Filter {
    /// The filter with addresses without a type as work addresses, as ``SCIMSelection`` changes them: a client that looks a
    /// person up by `emails[type eq "work"].value` would otherwise create the person again.
    fileprivate var countingUntypedAddresses: Filter {
        switch self {
        case .element(.emails, let inner): .element(.emails, inner.countingUntyped)
        case .and(let filters): .and(filters.map(\.countingUntypedAddresses))
        case .or(let filters): .or(filters.map(\.countingUntypedAddresses))
        case .not(let filter): .not(filter.countingUntypedAddresses)
        case .everything, .compare, .present, .element, .below: self
        }
    }

    private var countingUntyped: Filter {
        switch self {
        case .compare(let path, .equal, .string(let text))
        where (path.part ?? path.attribute.rawValue) == "type" && SCIMName.isSame(text, "work"):
            .or([self, .not(.present(path))])
        case .and(let filters): .and(filters.map(\.countingUntyped))
        default: self
        }
    }
}
