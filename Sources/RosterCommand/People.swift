import Roster

extension Arguments {
    /// The attributes to show of each of several people.
    func shownAttributes(_ vocabulary: Vocabulary) throws -> [AttributeName] {
        try attributes(of: .user, vocabulary) ?? ["uid", "commonName", "title", "department", "mail"]
    }
}

/// People as rows. Managers and roles are shown by their names, which people know.
func peopleOutput(_ users: [User], _ shown: [AttributeName], _ arguments: Arguments, _ view: DirectoryView)
    async throws -> Output
{
    var output = try Output(arguments, columns: shown.map(\.rawValue))
    var names: [UserID: String] = [:]
    for user in users {
        var row: [AttributeValue?] = []
        for name in shown {
            switch name {
            case "manager":
                guard let id = user.managerID else {
                    row.append(nil)
                    continue
                }
                if names[id] == nil { names[id] = try await view.users.user(.id(id), attributes: ["uid"]).uid }
                row.append(names[id].map { .string($0) })
            case "memberOf":
                let roles = try await view.roles.roles(having: .user(.id(user.id)))
                row.append(roles.isEmpty ? nil : .list(roles.map { .string($0.name) }))
            default: row.append(user[name])
            }
        }
        output.add(row)
    }
    return output
}

/// Everyone whom pages of a list have, page after page.
func everyone(_ page: (_ limit: Int, _ last: UserID?) async throws -> [User]) async throws -> [User] {
    let limit = 10_000
    var all = try await page(limit, nil)
    var count = all.count
    while count == limit {
        let next = try await page(limit, all.last?.id)
        all += next
        count = next.count
    }
    return all
}
