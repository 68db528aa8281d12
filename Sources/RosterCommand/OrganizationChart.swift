import Roster

/// A tree of people, drawn as people draw it.
struct OrganizationChart {
    private let users: UserManager
    private let depth: Int?
    private var lines: [String] = []

    /// - Parameter depth: How many levels below the first are drawn; nil for all.
    init(_ users: UserManager, depth: Int?) {
        self.users = users
        self.depth = depth
    }

    /// The tree below a user.
    static func down(from user: User, _ users: UserManager, depth: Int?) async throws -> String {
        var chart = OrganizationChart(users, depth: depth)
        chart.lines.append(label(user))
        try await chart.draw(below: user, prefix: "", level: 1)
        return chart.lines.joined(separator: "\n") + "\n"
    }

    /// The managers above a user, from the top down to the user.
    static func up(from user: User, _ users: UserManager) async throws -> String {
        let line = try await users.chain(of: .id(user.id)).reversed() + [user]
        return line.enumerated().map { level, user in
            level == 0 ? label(user) : String(repeating: "    ", count: level - 1) + "└── " + label(user)
        }.joined(separator: "\n") + "\n"
    }

    private mutating func draw(below user: User, prefix: String, level: Int) async throws {
        try Task.checkCancellation()
        if let depth, level > depth {
            let below = try await users.reporteeCounts(of: .id(user.id)).all
            if below > 0 { lines.append(prefix + "└── … \(below) more below") }
            return
        }
        var page = try await users.reportees(of: .id(user.id), limit: 1_000)
        while !page.isEmpty {
            let next =
                page.count == 1_000
                ? try await users.reportees(of: .id(user.id), limit: 1_000, after: page.last?.id) : []
            for (index, reportee) in page.enumerated() {
                let isLast = next.isEmpty && index == page.count - 1
                lines.append(prefix + (isLast ? "└── " : "├── ") + Self.label(reportee))
                try await draw(below: reportee, prefix: prefix + (isLast ? "    " : "│   "), level: level + 1)
            }
            page = next
        }
    }

    /// A person in one line.
    private static func label(_ user: User) -> String {
        var text = user.label
        if let title = user.title { text += ", \(title)" }
        text += " [\(user.uid)]"
        return Terminal.safe(user.isActive ? text : text + " (disabled)")
    }
}
