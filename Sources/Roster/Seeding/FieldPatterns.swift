/// A set of field names and of patterns. The pattern `msExch*` matches every name that begins with `msExch`. Case does not matter.
struct FieldPatterns: Sendable {
    private var names: Set<String> = []
    private var beginnings: [String] = []

    init(_ patterns: some Sequence<String>) {
        for pattern in patterns {
            if pattern.hasSuffix("*") {
                beginnings.append(pattern.dropLast().lowercased())
            } else {
                names.insert(pattern.lowercased())
            }
        }
    }

    /// Whether the set has a name, or a pattern that matches the name.
    func contains(_ name: String) -> Bool {
        let name = name.lowercased()
        return names.contains(name) || beginnings.contains { name.hasPrefix($0) }
    }
}
