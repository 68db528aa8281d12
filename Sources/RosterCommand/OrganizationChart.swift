import Roster
import RosterText

/// Draws a tree of users line by line, so that memory does not grow with it.
struct OrganizationChart: Sendable {
    let users: UserManager
    /// The number of levels to draw below the first; nil for all.
    let depth: Int?
    /// The columns of the terminal, because longer lines would break the tree; nil unless the output is a terminal.
    private let width = Terminal.outputIsTerminal ? Terminal.width : nil

    init(_ users: UserManager, depth: Int?) {
        self.users = users
        self.depth = depth
    }

    /// Draws the tree below a user, or below everyone without a manager.
    func drawDown(from start: UserReference?) async throws {
        if users.areRemote {
            if let start {
                try await drawRemote(from: users.user(start, attributes: Self.attributes))
            } else {
                try await drawAllRemote()
            }
            return
        }
        // The prefix of the lines below the last user of each depth.
        let prefixes = Locked<[String]>([])
        try await users.walkDown(from: start, attributes: Self.attributes, levels: depth) { step in
            prefixes.withLock { prefixes in
                prefixes.removeSubrange(min(step.depth, prefixes.count)...)
                let above = prefixes.last
                write(above.map { $0 + (step.isLast ? "└── " : "├── ") } ?? "", step.user)
                let below = above.map { $0 + (step.isLast ? "    " : "│   ") } ?? ""
                if step.hidden > 0 { writeHidden(step.hidden, below) }
                prefixes.append(below)
            }
        }
    }

    /// Draws the tree below a user of a server, whose clients read one manager's reportees after the other.
    private func drawRemote(from user: User) async throws {
        write("", user)
        try await draw(below: user, prefix: "", level: 1)
    }

    private func drawAllRemote() async throws {
        var last: UserID?
        repeat {
            let page = try await users.withoutManager(attributes: Self.attributes, limit: Self.pageSize, after: last)
            for user in page { try await drawRemote(from: user) }
            last = page.count == Self.pageSize ? page.last?.id : nil
        } while last != nil
    }

    private func writeHidden(_ count: Int, _ prefix: String) {
        Terminal.write(fitted(prefix + "└── … \(count) more below") + "\n")
    }

    /// Draws the managers above a user, from the top down to the user.
    func drawUp(from user: User) async throws {
        let line = try await users.chain(of: .id(user.id), attributes: Self.attributes).reversed() + [user]
        for (level, user) in line.enumerated() {
            write(level == 0 ? "" : String(repeating: "    ", count: level - 1) + "└── ", user)
        }
    }

    private func draw(below user: User, prefix: String, level: Int) async throws {
        try Task.checkCancellation()
        if let depth, level > depth {
            let below = try await users.reporteeCounts(of: .id(user.id)).all
            if below > 0 { writeHidden(below, prefix) }
            return
        }
        var page = try await reportees(of: user, after: nil)
        while !page.isEmpty {
            let next = page.count == Self.pageSize ? try await reportees(of: user, after: page.last) : []
            for (index, reportee) in page.enumerated() {
                let isLast = next.isEmpty && index == page.count - 1
                write(prefix + (isLast ? "└── " : "├── "), reportee)
                try await draw(below: reportee, prefix: prefix + (isLast ? "    " : "│   "), level: level + 1)
            }
            page = next
        }
    }

    /// The attributes that a line shows.
    static let attributes: AttributeSelection = [
        "displayName", "commonName", "givenName", "familyName", "title", "active",
    ]
    private static let pageSize = 1_000

    private func reportees(of user: User, after last: User?) async throws -> [User] {
        try await users.reportees(
            of: .id(user.id), attributes: Self.attributes, limit: Self.pageSize, after: last?.id)
    }

    private func write(_ branch: String, _ user: User) {
        var text = user.label
        if let title = user.title { text += ", \(title)" }
        // The name for other commands is never shortened.
        let end = " [\(user.uid)]" + (user.isActive ? "" : " (disabled)")
        let safeEnd = Terminal.safe(end)
        Terminal.write(fitted(branch + Terminal.safe(text), end: safeEnd) + "\n")
    }

    private func fitted(_ text: String, end: String = "") -> String {
        guard let width else { return text + end }
        return DisplayWidth.fit(text, max(1, width - DisplayWidth.of(end))).text + end
    }
}
