import Foundation
import Testing

@Suite("What each room may import")
struct LayeringTests {
    /// What a module may import anywhere, and what it may import only below folders of its own. SwiftPM does not hold
    /// this: a target can import what its dependencies depend on without saying so.
    struct Room: Sendable {
        let everywhere: Set<String>
        var inFolder: [String: [String]] = [:]
    }

    static let system: Set<String> = ["Foundation", "Dispatch", "Synchronization", "Glibc", "Darwin"]
    static let rooms: [String: Room] = [
        "RosterText": Room(everywhere: system),
        "RosterStore": Room(everywhere: system.union(["RosterText", "CSQLite"])),
        "Roster": Room(
            everywhere: system.union(["RosterText", "RosterStore"]),
            inFolder: ["CSchema": ["Directory"], "Observation": ["Changes"]]),
        "RosterPostgreSQL": Room(everywhere: system.union(["RosterText", "RosterStore", "Roster", "CPostgreSQL"])),
        "RosterFixtures": Room(everywhere: ["Roster", "RosterText", "Foundation", "CSeeds"]),
        "RosterCrypto": Room(everywhere: system.union(["RosterText", "CCrypto", "CCrypt", "CArgon2"])),
        "RosterTransport": Room(everywhere: system.union(["RosterText"]), inFolder: ["CCurl": ["Curl"]]),
        "RosterOpenID": Room(everywhere: system.union(["RosterText", "RosterCrypto"])),
        "RosterSecrets": Room(everywhere: system.union(["RosterText", "RosterCrypto", "Security"])),
        "RosterClient": Room(
            everywhere: system.union([
                "RosterText", "RosterCrypto", "RosterOpenID", "RosterTransport", "RosterSecrets", "Roster",
            ])),
        "RosterSignInUI": Room(
            everywhere: system.union(["RosterText", "RosterClient", "Observation", "AuthenticationServices"])),
        "RosterMobileSDK": Room(
            everywhere: system.union([
                "RosterText", "RosterCrypto", "RosterOpenID", "RosterTransport", "RosterSecrets", "Roster",
                "RosterClient",
            ])),
        "RosterAdministration": Room(everywhere: system.union(["RosterText", "Roster"])),
        "RosterSignIn": Room(
            everywhere: system.union([
                "RosterText", "RosterStore", "RosterCrypto", "RosterOpenID", "Roster", "RosterAdministration",
            ]),
            inFolder: [
                "RosterSAML": ["Exchange"], "RosterTransport": ["Fetching", "Mail"], "CPage": ["Passwords", "Mail"],
            ]),
        "RosterSAML": Room(
            everywhere: ["Foundation", "Synchronization", "Glibc", "Darwin", "RosterText", "CXMLSecurity"]),
        "RosterREST": Room(
            everywhere: system.union([
                "RosterText", "RosterCrypto", "RosterOpenID", "Roster", "RosterAdministration", "RosterSignIn",
            ]),
            inFolder: ["CPage": ["OAuth"], "RosterBearer": ["Bearer"]]),
        "RosterDialects": Room(
            everywhere: system.union([
                "RosterText", "RosterCrypto", "Roster", "RosterAdministration", "RosterREST", "RosterSignIn",
            ])),
        "RosterBearer": Room(
            everywhere: system.union(["RosterText", "RosterCrypto", "RosterOpenID", "RosterTransport"])),
        "RosterServer": Room(
            everywhere: system.union([
                "RosterText", "RosterStore", "RosterTLS", "Roster", "RosterREST", "RosterDialects", "RosterSignIn",
                "CPage",
            ]),
            inFolder: ["CMicroHTTPD": ["Transport"]]),
        "RosterLDAP": Room(
            everywhere: system.union(["RosterText", "RosterCrypto", "RosterTLS", "Roster", "RosterSignIn"]),
            inFolder: ["CLBER": ["Protocol"]]),
        "RosterTLS": Room(everywhere: system.union(["RosterText", "CGnuTLS"])),
        "RosterCommand": Room(
            everywhere: system.union([
                "RosterText", "RosterStore", "RosterCrypto", "RosterOpenID", "RosterTransport", "Roster",
                "RosterFixtures", "RosterSecrets", "RosterClient", "RosterServer", "RosterREST", "RosterLDAP",
                "RosterAdministration",
                "RosterSignIn", "RosterPostgreSQL",
            ]),
            inFolder: ["CLDAP": ["LDAPImport"]]),
    ]

    /// The modules that a source file imports.
    static func imports(of text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            var words = line.split(separator: " ")
            while let first = words.first,
                first.hasPrefix("@") || ["public", "package", "internal", "private"].contains(first)
            {
                words.removeFirst()
            }
            guard words.first == "import", words.count >= 2 else { return nil }
            let isKind = ["struct", "class", "enum", "func", "let", "var", "typealias", "protocol"].contains(words[1])
            return (isKind && words.count > 2 ? words[2] : words[1]).split(separator: ".").first.map(String.init)
        }
    }

    @Test("Import lines are read, whatever stands before them")
    func readsImports() {
        let text =
            "import A\npublic import B\n@testable import C\n    internal import struct D.E\n// import F\nimportant = 1"
        #expect(Self.imports(of: text) == ["A", "B", "C", "D"])
    }

    @Test("Every Swift module has a row in the table")
    func allRoomsAreKnown() throws {
        let sources = Package.folder.appendingPathComponent("Sources")
        for module in try FileManager.default.contentsOfDirectory(atPath: sources.path) {
            guard try !Package.files(in: "Sources/\(module)", endingIn: ".swift").isEmpty else { continue }
            #expect(Self.rooms[module] != nil, "\(module) is not in the table")
        }
    }

    @Test("A module imports only what its row says", arguments: Self.rooms.keys.sorted())
    func imports(module: String) throws {
        let room = try #require(Self.rooms[module])
        let files = try Package.files(in: "Sources/\(module)", endingIn: ".swift")
        #expect(!files.isEmpty)
        for file in files {
            for name in Self.imports(of: try Package.text(file)) where !room.everywhere.contains(name) {
                let folders = try #require(room.inFolder[name], "\(file.lastPathComponent) imports \(name)")
                #expect(
                    folders.contains { file.path.contains("/Sources/\(module)/\($0)/") },
                    "\(file.lastPathComponent) imports \(name)")
            }
        }
    }

    @Test("The page about the house names each behaviour's files, at most two, and they are there")
    func placesOfBehaviours() throws {
        let sources = try Package.files(in: "Sources", endingIn: ".swift").map(\.path)
        let article = try #require(
            Package.files(in: "Sources/Roster/Roster.docc", endingIn: "TheHouse.md").first)
        let page = try Package.text(article)
        let table = try #require(page.components(separatedBy: "## Where to look").last)
        let rows = table.components(separatedBy: "\n## ")[0].split(separator: "\n").filter { $0.contains(".swift`") }
        #expect(rows.count >= 11)
        for row in rows {
            let files = row.split(separator: "`").filter { $0.hasSuffix(".swift") }
            #expect(1...2 ~= files.count, "\(row)")
            for file in files {
                #expect(sources.contains { $0.hasSuffix("/Sources/\(file)") }, "\(file)")
            }
        }
    }

    @Test("An API that validates tokens links neither SQLite nor SAML nor the sign-in server")
    func bearerIsSmall() {
        var (all, new): (Set<String>, Set<String>) = ([], ["RosterBearer"])
        while !new.isEmpty {
            all.formUnion(new)
            let next = new.compactMap { Self.rooms[$0] }.flatMap { $0.everywhere.union($0.inFolder.keys) }
            new = Set(next).subtracting(all)
        }
        #expect(all.isSuperset(of: ["RosterOpenID", "CCrypto"]))
        #expect(all.isDisjoint(with: ["RosterStore", "CSQLite", "RosterSAML", "RosterSignIn", "RosterREST", "Roster"]))
    }

    @Test("No type of SQLite leaves RosterStore")
    func noPointersOutsideOfStore() throws {
        for file in try Package.files(in: "Sources/Roster", endingIn: ".swift") {
            let text = try Package.text(file)
            #expect(!text.contains("OpaquePointer"), "\(file.lastPathComponent)")
            #expect(!text.contains("sqlite3_"), "\(file.lastPathComponent)")
        }
    }
}
