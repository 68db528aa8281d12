import RosterLDAP
import RosterREST
import RosterServer

/// The options of `serve` for LDAP.
let ldapOptions: [Command.Option] = [
    .init(
        "ldap", "ADDRESSES",
        "serve LDAP as well, at ldap://127.0.0.1:3890, ldaps://0.0.0.0:636 or ldapi://%2Frun%2Froster%2Fldapi; repeatable"
    ),
    .init("ldap-base", "DN", "the base of the tree (default: dc=example,dc=com)"),
    .init("allow-plain-ldap", nil, "accept passwords from other machines before StartTLS"),
    .init(
        "ldap-client-ca", "FILE",
        "the authorities, in PEM, whose client certificates bind by SASL EXTERNAL (default: none are asked for)"),
    .init(
        "ldap-password-and-code", nil,
        "let people with a second factor bind with the password and six digits behind it; for prompts, not for programs"
    ),
    .init("ldap-direct-member-of", nil, "let memberOf name direct roles only (default: also the roles around those)"),
    .init(
        "ldap-posix", "NUMBER",
        "show users as posixAccount and roles as posixGroup, with numbers from NUMBER on, such as 100000"),
    .init("ldap-home", "PATH", "the home directory of POSIX accounts (default: /home/%u)"),
    .init("ldap-shell", "PATH", "the login shell of POSIX accounts (default: /bin/bash)"),
]

/// The settings of the LDAP server; nil without --ldap. It has the certificate of the HTTP server.
func ldapConfiguration(
    _ arguments: Arguments, _ server: DirectoryServer.Configuration
) throws -> LDAPServer.Configuration? {
    let addresses = arguments.all("ldap").flatMap { $0.split(separator: ",").map(String.init) }
    guard !addresses.isEmpty else {
        for option in ldapOptions where option.name != "ldap" {
            guard !arguments.has(option.name), arguments.value(option.name) == nil else {
                throw UsageError("--\(option.name) needs --ldap.")
            }
        }
        return nil
    }
    var configuration = LDAPServer.Configuration(
        listen: addresses, tls: server.tls, allowsPlain: arguments.has("allow-plain-ldap"), log: server.log)
    if let base = arguments.value("ldap-base") { configuration.base = base }
    configuration.clientAuthorities = arguments.value("ldap-client-ca")
    configuration.takesCodeAfterPassword = arguments.has("ldap-password-and-code")
    configuration.hasDirectMemberOf = arguments.has("ldap-direct-member-of")
    configuration.posix = try posixAccounts(arguments)
    return configuration
}

private func posixAccounts(_ arguments: Arguments) throws -> LDAPServer.PosixAccounts? {
    guard let text = arguments.value("ldap-posix") else {
        for option in ["ldap-home", "ldap-shell"] where arguments.value(option) != nil {
            throw UsageError("--\(option) needs --ldap-posix.")
        }
        return nil
    }
    guard let number = Int64(text) else { throw UsageError("--ldap-posix takes a number, such as 100000.") }
    var accounts = LDAPServer.PosixAccounts(firstNumber: number)
    if let home = arguments.value("ldap-home") { accounts.home = home }
    if let shell = arguments.value("ldap-shell") { accounts.shell = shell }
    return accounts
}

extension LDAPServer {
    /// The figures of the server, for the metrics.
    var figures: [NeighbourFigure] {
        guard let statistics else { return [] }
        return [
            NeighbourFigure("roster_ldap_connections", "Open connections of LDAP clients.", statistics.connections),
            NeighbourFigure(
                "roster_ldap_operations_in_flight", "Operations of LDAP that have begun and are not answered.",
                statistics.operationsInFlight),
            NeighbourFigure(
                "roster_ldap_broken_total", "Connections that were closed for messages that are not LDAP.",
                isCounter: true, statistics.broken),
            NeighbourFigure(
                "roster_ldap_refused_total", "Connections that were refused because there were too many.",
                isCounter: true, statistics.refused),
            NeighbourFigure(
                "roster_ldap_late_total", "Connections that were closed because the client was late.", isCounter: true,
                statistics.late),
        ]
    }
}
