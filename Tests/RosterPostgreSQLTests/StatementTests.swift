import Foundation
import RosterStore
import Testing
import TestSupport

@testable import Roster

@Suite("The statements of the library", .enabled(if: PostgreSQLCluster.shared != nil))
struct StatementTests {
    /// A statement in the sources, in the form of each engine.
    private struct Source {
        let name: String
        let sqlite: String
        let postgreSQL: String
    }

    /// The literals of the declarations `static let name: SQL = …` and `static let name = SQL(…)` in all files of statements.
    private static func sources() throws -> [Source] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources").standardizedFileURL
        let files =
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL } ?? []
        let declaration = /(?:static let )?(\w+)(?:: SQL =|(?: =|:) SQL\()/
        let literal = /(?s)"""\n(.*?)"""|"((?:[^"\\\n]|\\.)+)"/
        var found: [Source] = []
        for file in files where file.lastPathComponent.hasSuffix("Statements.swift") {
            let text = try String(contentsOf: file, encoding: .utf8)
            let starts = text.matches(of: declaration)
            for (index, start) in starts.enumerated() {
                let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : text.endIndex
                let body = text[start.range.upperBound..<end]
                let literals = body.matches(of: literal).map { match in
                    String(match.output.1 ?? match.output.2 ?? "").replacing("\\\\", with: "\\")
                        .replacing("\\\"", with: "\"")
                }
                guard let first = literals.first else { continue }
                let isForBoth = body.contains("postgreSQL:") && literals.count > 1
                found.append(
                    Source(
                        name: "\(file.lastPathComponent) \(start.output.1)", sqlite: first,
                        postgreSQL: isForBoth ? literals[1] : first))
            }
        }
        return found
    }

    /// Statements that run on files only: the settings and merges of the text index, and the renewal of keys in files of older versions.
    private static let forFiles: Set<String> = [
        "UserStatements.swift beginMerging", "UserStatements.swift goOnMerging", "UserStatements.swift wideTextIndex",
        "UserStatements.swift usualTextIndex", "KeyStatements.swift otherValues",
    ]

    /// Statements that one engine only has, such as settings, and those of transactions, which are not prepared.
    private static func isOwn(_ text: String) -> Bool {
        text.contains(/^\s*(PRAGMA|VACUUM|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|CREATE|DROP|SET)\b/)
            || text.contains("sqlite_schema")
    }

    @Test("Each statement is prepared by both engines")
    func preparesAll() throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeDatabase()
        defer { cluster.drop(database) }
        let sources = try Self.sources()
        #expect(sources.count > 180)
        var script = ""
        for (number, source) in sources.enumerated()
        where !Self.isOwn(source.postgreSQL) && !Self.forFiles.contains(source.name) {
            let text = source.postgreSQL.replacing(/\?(\d+)/) { "$\($0.output.1)" }
            script += "\\echo == \(source.name)\nPREPARE s\(number) AS \(text);\n"
        }
        var last = ""
        for line in try cluster.output(of: script, in: database).split(separator: "\n") {
            if line.hasPrefix("==") { last = String(line) }
            #expect(!line.contains("ERROR:"), "\(last): \(line)")
        }
        #expect(
            last == "== \(sources.last { !Self.isOwn($0.postgreSQL) && !Self.forFiles.contains($0.name) }?.name ?? "")")
        let servers = [
            "PostgreSQLStatements", "AttemptStatements", "KeySizeStatements", "PendingCodeStatements",
            "MasterKeyStatements", "ArrayStatements",
        ]
        let directory = try Directory.inMemory()
        defer { directory.close() }
        try directory.store.read { connection in
            for source in sources where !Self.isOwn(source.sqlite) {
                guard !servers.contains(where: source.name.hasPrefix) else { continue }
                #expect(throws: Never.self, "\(source.name)") {
                    try connection.engine.makeStatement(source.sqlite, on: connection).finalize()
                }
            }
        }
    }

    @Test("A search with hundreds of comparisons of values ends in time, and finds the right users")
    func manyComparisons() async throws {
        try await withServerDirectory { _, _, directory in
            let view = directory.unrestricted
            for name in ["aaron", "zoe"] {
                try await view.users.create(name, attributes: ["mail": .string("\(name)@example.com")])
            }
            for count in [16, 17, 200] {
                let texts = (0..<count).map { "emails.value gt \"b\($0)\"" }
                for (word, negation) in [("and", ""), ("or", ""), ("and", "not "), ("or", "not ")] {
                    let text = texts.map { negation.isEmpty ? $0 : "\(negation)(\($0))" }.joined(separator: " \(word) ")
                    let filter = try Filter(scim: text, vocabulary: view.attributes.vocabulary())
                    let found = try await view.users.search(Search(filter)).elements.map(\.uid)
                    #expect(found == [negation.isEmpty ? "zoe" : "aaron"], "\(count) \(word) \(negation)")
                }
            }
        }
    }
}
