import Roster

extension Arguments {
    /// The attributes to show in a list of users.
    func shownAttributes(_ vocabulary: Vocabulary) throws -> [AttributeName] {
        try attributes(of: .user, vocabulary) ?? ["uid", "commonName", "title", "department", "mail"]
    }
}

/// Users as rows. Managers and roles appear with their names.
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

/// Collects all users from a paged list.
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
