import Foundation
import Roster

/// The options of `import` for a server of LDAP.
let ldapSourceOptions: [Command.Option] = [
    .init("bind-dn", "DN", "for ldap://: the name to bind with (default: no bind)"),
    .init("bind-password-file", "FILE", "for ldap://: the file whose first line is its password; - for standard input"),
    .init("base", "DN", "for ldap://: the entry below which the people are (default: the server's tree)"),
    .init("filter", "FILTER", "for ldap://: the entries to read, as LDAP writes it (default: all)"),
    .init("start-tls", nil, "for ldap://: begin TLS before the bind"),
    .init("allow-plain-ldap", nil, "for ldap://: send the password to another machine without TLS"),
]

/// A server of LDAP to import from, as the arguments describe it.
struct LDAPImport {
    let source: LDAPSource
    /// What messages call the server.
    let name: String

    /// Reads the entries as LDIF.
    ///
    /// - Throws: `CommandFailure`; `CancellationError`.
    func read(_ preset: ImportPreset?) throws -> Data {
        let progress = Progress("reading", unit: "entries")
        defer { progress.finish() }
        // Active Directory keeps the state of an account in a user attribute, other servers in operational attributes ("+").
        let attributes = preset == .activeDirectory ? ["*"] : ["*", "+"]
        do {
            return try source.ldif(attributes) { progress.show($0) }
        } catch let failure as LDAPSource.Failure {
            throw CommandFailure(description: failure.description)
        }
    }
}

extension Arguments {
    /// The server to import from; nil if a file is meant.
    ///
    /// - Throws: `UsageError` for options that do not go together.
    func ldapSource(_ path: String) throws -> LDAPImport? {
        guard LDAPSource.isAddress(path) else {
            for option in ldapSourceOptions where has(option.name) || value(option.name) != nil {
                throw UsageError("--\(option.name) is for servers of LDAP, such as ldap://localhost.")
            }
            return nil
        }
        if let format = value("format"), format != ExchangeFormat.ldif.rawValue {
            throw UsageError("A server of LDAP gives LDIF. Leave --format out.")
        }
        var source = LDAPSource(url: path)
        source.name = value("bind-dn")
        guard (source.name == nil) == (value("bind-password-file") == nil) else {
            throw UsageError("--bind-dn and --bind-password-file go together.")
        }
        if let file = value("bind-password-file") { source.password = try secret(inFile: file) }
        source.base = value("base")
        if let filter = value("filter") { source.filter = filter }
        source.startsTLS = has("start-tls")
        source.allowsPlain = has("allow-plain-ldap")
        source.authorities = try authorities()?.path
        return LDAPImport(source: source, name: path)
    }
}
