/// Names of fields, of which some represent all names with the same beginning: `msExch*`. Names are compared without regard to case.
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

    /// Whether one of the patterns represents a name.
    func contains(_ name: String) -> Bool {
        let name = name.lowercased()
        return names.contains(name) || beginnings.contains { name.hasPrefix($0) }
    }
}
