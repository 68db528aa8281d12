import Roster
package import RosterAdministration
package import RosterText

extension ListAppPasswords: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let all = try await context.view.awaitRead(isBrief: true) { try $0.appPasswords.all(of: user) }
        return ["app_passwords": .array(all.map(\.json))]
    }
}

extension MakeAppPassword: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        guard let use = AppPassword.Use(rawValue: use) else {
            throw DirectoryError(
                .invalidInput, "There is no interface \(ShownText.quoted(use)).", advice: "Give ldap or scim.")
        }
        let given = try AppPassword.Given(program, for: use, networks: networks, expires: expires)
        let (text, record) = try await AppPassword.make(
            given, for: user, keys: context.keys(), in: context.view)
        return .object(record.json.members + [.init("password", .string(text))])
    }
}

extension EndAppPassword: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        try await context.view.awaitWrite { try $0.asSelfOrHelper(of: user).endAppPassword(password) }
        return [:]
    }
}
