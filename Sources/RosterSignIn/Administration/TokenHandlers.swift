import Roster
package import RosterAdministration
package import RosterText

extension ListTokens: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        ["tokens": .array(try await context.view.awaitRead(isBrief: true) { try $0.apiTokens.all() }.map(\.json))]
    }
}

extension MakeToken: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        guard let role = ProgramRole(rawValue: role) else {
            throw DirectoryError(
                .invalidInput, "There is no role of programs \(ShownText.quoted(role)).",
                advice: "Give \(ProgramRole.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        guard createsOnReplace == nil || source != nil else {
            throw DirectoryError(
                .invalidInput, "'createsOnReplace' is an option of a source.", advice: "Name the source, too.")
        }
        try LongestLife.check(expires, of: "A token", at: context.now)
        var view: GivenView?
        if attributes != nil || membersOf != nil {
            view = GivenView((attributes ?? []).map { AttributeName($0) }, membersOf: membersOf.map { .either($0) })
        }
        let (text, record) = try await APIToken.create(
            named: program, role: role, expires: expires,
            source: source.map { GivenSource($0, createsOnReplace: createsOnReplace) }, reading: view,
            networks: networks, in: context.view)
        return .object(record.json.members + [.init("token", .string(text))])
    }
}

extension SetTokenSource: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let given = GivenSource(source, createsOnReplace: createsOnReplace)
        return try await context.view.awaitWrite {
            try $0.asPresentAdministrator(to: "change tokens").apiTokens.setSource(given, ofToken: token)
        }.json
    }
}

extension EndToken: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        try await context.view.awaitWrite {
            try $0.asPresentAdministrator(to: "revoke tokens").apiTokens.revoke(named: token)
        }
        return [:]
    }
}
