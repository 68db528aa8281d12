/// The attributes to fetch with a user or a role.
public enum AttributeSelection: Sendable, Hashable, Codable, ExpressibleByArrayLiteral {
    /// All but large ones such as `photo`, and without the roles (`memberOf`).
    case usual
    /// All that the caller may read, large ones and the roles included.
    case all
    /// These alone, by any protocol's names.
    case only([AttributeName])

    /// These alone; the usual ones for an empty literal.
    public init(arrayLiteral names: AttributeName...) { self = names.isEmpty ? .usual : .only(names) }
}
