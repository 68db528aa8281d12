import Foundation
import Roster
import RosterSignIn
import RosterText

/// The endpoints with which administrators take the whole directory out and put people in: an export, and seeds.
enum SeedingAPI {
    private static let formats: JSONValue = .texts(ExchangeFormat.allCases.map(\.rawValue))

    static let export = Endpoint(
        "The whole directory as of one moment, without secrets: a seed, CSV with the people, or LDIF.",
        parameters: [
            .init(
                name: "format", summary: "json (a seed, the default), csv or ldif.",
                schema: ["type": "string", "enum": formats]),
            .init(
                name: "spreadsheet",
                summary: "For CSV: true for an apostrophe before values that a spreadsheet could run as formulas.",
                schema: ["type": "boolean"]),
            .init(
                name: "base_dn",
                summary: "For LDIF: what an LDAP server takes, under this entry, such as dc=example,dc=com.",
                schema: ["type": "string"]),
        ],
        answer: .init(mediaType: "application/octet-stream", schema: ["type": "string", "format": "binary"]),
        takesHead: false
    ) { call in
        let format = try format(call) ?? .json
        let isForSpreadsheet = try flag(call, "spreadsheet")
        let base = try call.parameter("base_dn")
        guard base == nil || format == .ldif else {
            throw RequestError(.badRequest, "'base_dn' is for LDIF. Add format=ldif.")
        }
        let view = call.view
        return .later {
            try await view.awaitRead { try $0.checkPresentAdministrator(to: "export the directory") }
            let spool = try Spool()
            try await view.export(format, isForSpreadsheet: isForSpreadsheet, under: base) { try spool.add($0) }
            return HTTPResponse(
                200,
                headers: [
                    "Content-Type": "application/octet-stream",
                    "Content-Disposition": "attachment; filename=\"roster.\(format.rawValue)\"",
                ], body: .stream(try spool.pieces()))
        }
    }

    static let seed = Endpoint(
        "Load a seed: all of it or, on an error, nothing. The answer has the numbers, and the secrets of new backends, this once.",
        parameters: [
            .init(name: "name", summary: "What errors call the seed.", schema: ["type": "string"]),
            .init(
                name: "grant_administrators", summary: "Whether the seed may make administrators.",
                schema: ["type": "boolean"]),
        ],
        body: .object, takesLargeBody: true
    ) { call in
        try call.checkIsJSON()
        let grants: Grants = try flag(call, "grant_administrators") ? .administrators : .roles
        let name = try call.parameter("name") ?? "the seed"
        let (view, context) = (call.view, call.context)
        return .later {
            try await view.awaitRead { try $0.checkPresentAdministrator(to: "load seeds") }
            let seed = try Seed(json: Data(call.request.body), name: name)
            let hashed = try await seed.hashingPasswords(
                context.passwords.parameters, for: context.directory, in: view)
            let (report, secrets) = try await Backend.loadAll(
                of: hashed, grants: grants, keys: context.oauth.keys, in: view)
            return .json(report.json(with: secrets))
        }
    }

    private static func format(_ call: Call) throws -> ExchangeFormat? {
        guard let text = try call.parameter("format") else { return nil }
        guard let format = ExchangeFormat(rawValue: text) else {
            throw RequestError(.badRequest, "'format' takes json, csv or ldif.")
        }
        return format
    }

    private static func flag(_ call: Call, _ name: String) throws -> Bool {
        guard let flag = Bool(try call.parameter(name) ?? "false") else {
            throw RequestError(.badRequest, "'\(name)' is true or false.")
        }
        return flag
    }
}

/// A file without a name, which keeps an export until the client has read it. A slow client holds up no read of the directory, and
/// the export takes no memory.
private final class Spool: Sendable {
    private let file: FileHandle

    init() throws {
        guard let stream = tmpfile() else {
            throw DirectoryError(
                .storageFull, "The export cannot be kept in the folder for temporary files.",
                advice: "Check the space there.")
        }
        defer { fclose(stream) }
        file = FileHandle(fileDescriptor: dup(fileno(stream)), closeOnDealloc: true)
    }

    func add(_ piece: Data) throws { try file.write(contentsOf: piece) }

    /// All pieces from the beginning, each read when the one before was sent.
    func pieces() throws -> AsyncStream<[UInt8]> {
        try file.seek(toOffset: 0)
        return AsyncStream { [file] in
            (try? file.read(upToCount: 1 << 16)).flatMap { $0.isEmpty ? nil : Array($0) }
        }
    }
}
