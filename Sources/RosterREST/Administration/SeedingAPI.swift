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
            try await view.awaitRead { _ = try $0.asPresentAdministrator(to: "export the directory") }
            let pieces = try await Spool.pieces { write in
                try await view.export(format, isForSpreadsheet: isForSpreadsheet, under: base, to: write)
            }
            return HTTPResponse(
                200,
                headers: [
                    "Content-Type": "application/octet-stream",
                    "Content-Disposition": "attachment; filename=\"roster.\(format.rawValue)\"",
                    // nginx passes the pieces on at once, so that no proxy gives up before the first one.
                    "X-Accel-Buffering": "no",
                ], body: .document(pieces))
        }
    }

    static let seed = Endpoint(
        "Load a seed: all of it or, on an error, nothing. The answer has the numbers, and the secrets of new backends, this once.",
        parameters: [
            .init(name: "name", summary: "What errors call the seed.", schema: ["type": "string"]),
            UploadAPI.parameter,
            .init(
                name: "grant_administrators", summary: "Whether the seed may make administrators.",
                schema: ["type": "boolean"]),
        ],
        body: .object, largeBodies: { _ in .administer }
    ) { call in
        if try call.parameter("upload") == nil { try call.checkIsJSON() }
        let grants: Grants = try flag(call, "grant_administrators") ? .administrators : .roles
        let name = try call.parameter("name") ?? "the seed"
        let (view, context) = (call.view, call.context)
        return .later {
            try await view.awaitRead { _ = try $0.asPresentAdministrator(to: "load seeds") }
            let seed = try Seed(json: UploadAPI.file(call), name: name)
            let hashed = try await seed.hashingPasswords(
                context.passwords.parameters, for: context.directory, in: view)
            let (report, secrets) = try await Backend.loadAll(
                of: hashed, grants: grants, keys: context.oauth.keys, in: view)
            return .json(report.json(with: secrets))
        }
    }

    static let `import` = Endpoint(
        "Import people from the body, CSV, LDIF or a seed, in steps between which others can write. After an error, the steps before "
            + "it stay, and the same file again finishes the import. With 'dry_run' nothing is kept, and the answer has the difference.",
        parameters: [
            .init(
                name: "format", summary: "csv, ldif or json.", schema: ["type": "string", "enum": formats],
                isRequired: true),
            .init(name: "name", summary: "What errors call the file.", schema: ["type": "string"]),
            UploadAPI.parameter,
            .init(
                name: "preset", summary: "The product that made the file.",
                schema: ["type": "string", "enum": .texts(ImportPreset.allCases.map(\.rawValue))]),
            .init(
                name: "map",
                summary:
                    "For CSV and LDIF: ATTRIBUTE=FIELD, a column or an attribute of the file; can be given several times.",
                schema: ["type": "string"]),
            .init(
                name: "skip", summary: "For CSV and LDIF: a field to leave out; can be given several times.",
                schema: ["type": "string"]),
            flagParameter("keep_empty", "For CSV: whether values stay for which the file has an empty cell."),
            .init(
                name: "clear_at_most",
                summary:
                    "For CSV: the largest number of values that empty cells may remove from a column; a tenth unless given.",
                schema: ["type": "integer", "minimum": 0]),
            .init(
                name: "no_manager", summary: "A value that means no manager; can be given several times.",
                schema: ["type": "string"]),
            .init(
                name: "managers_by", summary: "What names managers.",
                schema: ["type": "string", "enum": .texts(managerKeys.map(\.rawValue))]),
            .init(
                name: "date_format", summary: "For CSV: the form of dates, such as DD.MM.YYYY.",
                schema: ["type": "string"]),
            flagParameter("skip_bad_rows", "Whether faulty rows and values are skipped and reported."),
            flagParameter("with_passwords", "Whether the hashes of passwords are imported."),
            flagParameter("grant_roles", "Whether memberships and ownerships of roles are imported."),
            flagParameter("grant_administrators", "Whether changes that make administrators are imported."),
            flagParameter("spreadsheet", "For CSV: whether apostrophes before formulas are removed."),
            flagParameter(
                "disable_missing", "Whether active people in the scope who are not in the file are disabled."),
            .init(
                name: "scope", summary: "With disable_missing: a filter in SCIM's language.",
                schema: ["type": "string"]),
            .init(
                name: "disable_at_most",
                summary: "The largest number of people to disable; a tenth of the scope unless given.",
                schema: ["type": "integer", "minimum": 0]),
            flagParameter(
                "all_or_nothing",
                "Whether all is kept or, on an error, nothing. All other changes and sign-ins wait for the whole import."
            ),
            flagParameter("dry_run", "Whether nothing is kept."),
        ],
        body: .file, largeBodies: { _ in .administer }
    ) { call in
        let view = call.view
        guard let format = try format(call) else { throw RequestError(.badRequest, "Give the 'format'.") }
        let name = try call.parameter("name") ?? "the file"
        let (isDry, isWhole) = (try flag(call, "dry_run"), try flag(call, "all_or_nothing"))
        return .later {
            try await view.awaitRead { _ = try $0.asPresentAdministrator(to: "import people") }
            let options = try importOptions(call, format, view.attributes.vocabulary())
            let data = try UploadAPI.file(call)
            if isDry { return .json(try await view.previewImport(from: data, named: name, options: options).json) }
            let report =
                try await isWhole
                ? view.importPeople(from: data, named: name, options: options)
                : view.importInSteps(from: data, named: name, options: options)
            return .json(report.json)
        }
    }

    private static let managerKeys: [AttributeName] = ["uid", "mail", "employeeNumber"]

    private static func flagParameter(_ name: String, _ summary: String) -> Endpoint.Parameter {
        .init(name: name, summary: summary, schema: ["type": "boolean"])
    }

    private static func importOptions(
        _ call: Call, _ format: ExchangeFormat, _ vocabulary: Vocabulary
    ) throws -> ImportOptions {
        func all(_ name: String) -> [String] { call.target.query.filter { $0.name == name }.map(\.value) }
        var options = ImportOptions(
            format: format, noManager: Set(all("no_manager")),
            onBadRow: try flag(call, "skip_bad_rows") ? .skip : .stop,
            grants: try flag(call, "grant_administrators")
                ? .administrators : flag(call, "grant_roles") ? .roles : .nothing,
            isFromSpreadsheet: try flag(call, "spreadsheet"), preset: try preset(call))
        options.skips = Set(all("skip"))
        options.keepsEmpty = try flag(call, "keep_empty")
        options.mostCleared = try call.integer("clear_at_most")
        if try flag(call, "with_passwords") { options.takePasswords() }
        for map in all("map") {
            guard let sign = map.firstIndex(of: "="), sign > map.startIndex else {
                throw RequestError(.badRequest, "'map' takes ATTRIBUTE=FIELD.")
            }
            let name = AttributeName(String(map[..<sign]))
            guard options.columns[name] == nil else {
                throw RequestError(.badRequest, "'map' gives the attribute '\(name)' twice.")
            }
            options.columns[name] = String(map[map.index(after: sign)...])
        }
        if let key = try call.parameter("managers_by").map({ AttributeName($0) }) {
            guard managerKeys.contains(key) else {
                throw RequestError(.badRequest, "'managers_by' takes uid, mail or employeeNumber.")
            }
            options.managersBy = key
        }
        if let text = try call.parameter("date_format") {
            guard let dateFormat = DateFormat(text) else {
                throw RequestError(.badRequest, "'date_format' takes a form such as DD.MM.YYYY.")
            }
            options.dateFormat = dateFormat
        }
        guard format == .csv || options.dateFormat == nil && options.mostCleared == nil else {
            throw RequestError(.badRequest, "'date_format' and 'clear_at_most' are for CSV.")
        }
        guard format != .json || options.columns.isEmpty && options.preset == nil && options.skips.isEmpty else {
            throw RequestError(.badRequest, "'map', 'preset' and 'skip' are for CSV and LDIF.")
        }
        guard options.mostCleared ?? 0 >= 0 else {
            throw RequestError(.badRequest, "'clear_at_most' is a number from 0 up.")
        }
        let (scope, most) = (try call.parameter("scope"), try call.integer("disable_at_most"))
        guard try flag(call, "disable_missing") else {
            guard scope == nil, most == nil else {
                throw RequestError(.badRequest, "'scope' and 'disable_at_most' need 'disable_missing'.")
            }
            return options
        }
        guard let scope, most ?? 0 >= 0 else {
            throw RequestError(
                .badRequest, "'disable_missing' needs a 'scope', and 'disable_at_most' a number from 0 up.")
        }
        options.leavers = .init(scope: try Filter(scim: scope, vocabulary: vocabulary, for: .user), most: most)
        return options
    }

    private static func preset(_ call: Call) throws -> ImportPreset? {
        guard let text = try call.parameter("preset") else { return nil }
        guard let preset = ImportPreset(rawValue: text) else {
            let names = ImportPreset.allCases.map(\.rawValue).joined(separator: ", ")
            throw RequestError(.badRequest, "'preset' takes one of \(names).")
        }
        return preset
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
