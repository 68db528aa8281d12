import Foundation
import RosterSignIn
import RosterStore
import RosterText
import Testing

@testable import Roster

@Suite("Data of each older schema version survives")
struct OldDataTests {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// Rows as the first version wrote them.
    static let usersOfVersion1 = """
        INSERT INTO user (id, name, name_key, active, manager, version, created, modified, family_name_key, attributes)
        VALUES (16385, 'Ada', 'ada', 1, NULL, 3, 1000, 2000, 'müller', '{"emails":["ada@example.com"],"familyName":"Müller"}'),
               (16386, 'bob', 'bob', 0, 16385, 1, 1500, 1500, NULL, '{}');
        INSERT INTO attribute_value VALUES ('emails', 'ada@example.com', 16385);
        INSERT INTO text_index (rowid, name, family_name, mail)
        VALUES (16385, 'ada', 'müller', 'ada@example.com'), (16386, 'bob', NULL, NULL);
        UPDATE directory SET last_id = 16386;
        """
    static let rolesOfVersion2 = """
        INSERT INTO role (id, name, name_key, version, created, modified, display_name_key, description_key, attributes)
        VALUES (16387, 'Staff', 'staff', 1, 1000, 1000, 'staff', 'all', '{"description":"All"}');
        INSERT INTO role_member_user VALUES (16387, 16385);
        UPDATE directory SET last_id = 16387;
        """

    private static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-old-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Makes a file with an older schema.
    private static func connect(_ file: URL, _ version: Int) throws -> Connection {
        let connection = try Connection(path: file.path, mode: .init(isWriter: true, mappedBytes: 0))
        try connection.run(StoreStatements.useLog)
        let old = Migrations(steps: Array(Migrations.current.steps.prefix(version)))
        try old.apply(on: connection, path: file.path, now: now)
        return connection
    }

    @Test("Large values in changes of older versions are replaced when the file is opened", arguments: [3, 6])
    func largeValuesOfOldChanges(version: Int) throws {
        let folder = try Self.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("old.db")
        do {
            let connection = try Self.connect(file, version)
            let photo = Data(repeating: 7, count: 3_000).base64EncodedString()
            try connection.run(
                script: """
                    INSERT INTO change VALUES
                    (1, 1000, 'x', 1, 1, 16385, 'ada', NULL, '{"photo":{"$binary":"\(photo)"},"title":"Countess"}'),
                    (2, 1000, 'x', 2, 1, 16385, 'ada', '{"photo":{"$binary":"AQ=="}}', '{"title":"Lady"}'),
                    (3, 1000, 'x', 3, 1, 16385, 'ada', '{"title":"Lady"}', NULL)
                    """)
        }
        let directory = try Directory(at: file)
        defer { directory.close() }
        let changes = try directory.unrestricted.changes.since(0)
        #expect(changes.first?.after["photo"]?.part("bytes") == .integer(3_000))
        #expect(changes.first?.after["title"] == "Countess")
        #expect(changes[1].before["photo"]?.part("bytes") == .integer(1) && changes[1].after["title"] == "Lady")
        #expect(changes[2].before["title"] == "Lady" && changes[2].after.isEmpty)
    }

    @Test(
        "A file of each older version opens in one step with everything in it, as it is or restored as a backup",
        arguments: 1...Migrations.current.steps.count, [false, true])
    func opensInOneStep(version: Int, isRestored: Bool) throws {
        let folder = try Self.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var file = folder.appendingPathComponent("old.db")
        do {
            let connection = try Self.connect(file, version)
            var users = Self.usersOfVersion1
            // 0010_epochs.sql renames the table, and 0011_order.sql changes the search keys.
            if version >= 10 { users = users.replacing("INTO user ", with: "INTO users ") }
            if version >= 11 { users = users.replacing("'müller', '{", with: "'\(TextKey.sorting("Müller"))', '{") }
            // 0024_filters.sql marks the users without a mail address.
            if version >= 24 { users += "INSERT INTO attribute_value VALUES ('no emails', '', 16386);" }
            try connection.run(script: users)
            var roles = Self.rolesOfVersion2
            if version >= 11 {
                roles = roles.replacing(
                    "'staff', 'all', '{", with: "'\(TextKey.sorting("Staff"))', '\(TextKey.sorting("All"))', '{")
            }
            if version >= 2 { try connection.run(script: roles) }
            if version >= 5 { try connection.run(script: "INSERT INTO second_factor VALUES (16385, 'sealed')") }
        }
        // A server looks for the key of the file before it opens the file.
        let secrets = try DirectorySecrets.samples(in: DirectoryFile(file))
        #expect(secrets.map(\.owner) == (version >= 5 ? [.secondFactor(UserID(rawValue: 16_385))] : []))
        if isRestored {
            let restored = folder.appendingPathComponent("restored.db")
            try Directory.restore(from: file, to: restored)
            file = restored
        }
        let directory = try Directory(at: file)
        defer { directory.close() }
        let view = directory.unrestricted
        let ada = try view.users.user("ada")
        #expect(ada.uid == "Ada")
        #expect(ada.mail == "ada@example.com")
        #expect(ada.lastName == "Müller")
        #expect(ada.version == 3)
        #expect(ada.created == Date(timeIntervalSince1970: 1))
        #expect(ada.modified == Date(timeIntervalSince1970: 2))
        let bob = try view.users.user("bob")
        #expect(bob.isActive == false)
        #expect(try bob.manager()?.id == ada.id)
        #expect(try view.users.search(Search(.mail.contains("exam"), includesTotal: true)).total == 1)
        #expect(try view.users.search(Search(.mail.equals("ADA@example.com"))).elements.map(\.uid) == ["Ada"])
        #expect(try view.users.search(Search(.familyName.equals("MÜLLER"))).elements.map(\.uid) == ["Ada"])
        #expect(try view.users.count(matching: .familyName.starts("mu")) == 0)
        if version >= 2 {
            #expect(try view.roles.role("staff").members().map(\.uid) == ["Ada"])
            #expect(
                try view.roles.search(Search(.attribute(.description).equals("ALL"))).elements.map(\.name) == ["Staff"])
        }
        let problems = try view.check().filter { !$0.contains("feed") }
        #expect(problems == [])
        let eve = try view.users.create("eve")
        #expect(eve.id > bob.id, "identifiers go on after the old ones")
        #expect(try view.changes.since(0).count == 1)
        #expect(try directory.core.store.read { try $0.all(StoreStatements.integrity) { $0.text(0) } } == ["ok"])
        #expect(try directory.core.store.read { try $0.all(StoreStatements.foreignKeys) { $0.text(0) } } == [])
    }

    @Test("A backend without a claim mapping keeps telling all roles, and one with a mapping keeps it")
    func claimsOfOldBackends() async throws {
        let folder = try Self.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("old.db")
        do {
            let connection = try Self.connect(file, 22)
            try connection.run(
                script: """
                    INSERT INTO backend (number, name, version, client_id, backend_id, settings, created, modified) VALUES
                    (1, 'plain', '1.0', 'a', 'b', '{"scope":"openid","redirect_uris":["https://a.example/cb"]}', 1, 1),
                    (2, 'own', '1.0', 'c', 'd', '{"claims":{"claims":[],"sendRoleClaim":false}}', 1, 1)
                    """)
        }
        let directory = try Directory(at: file)
        defer { directory.close() }
        let signIn = try SignIn(directory, issuer: "https://id.example.com")
        let backends = try await signIn.backends(in: directory.unrestricted)
        #expect(backends.map(\.name) == ["own", "plain"])
        #expect(backends[0].settings.claims == ClaimMapping(claims: [], roleClaimName: nil))
        #expect(backends[1].settings.claims == .allRoles && backends[1].settings.scopes == [.openID])
        #expect(backends[1].settings.redirectURIs == ["https://a.example/cb"])
    }

    @Test("The uses of apps and the changes of roles are found in a file of an older version")
    func usesAndMemberships() throws {
        let folder = try Self.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("old.db")
        let (ada, bob) = (UserID(rawValue: 16385), UserID(rawValue: 16386))
        do {
            let connection = try Self.connect(file, 29)
            try connection.run(
                script: """
                    \(Self.usersOfVersion1.replacing("INTO user ", with: "INTO users ")
                        .replacing("'müller', '{", with: "'\(TextKey.sorting("Müller"))', '{"))
                    \(Self.rolesOfVersion2)
                    INSERT INTO change VALUES
                    (1, 1000, 'x', 2, 2, 16387, 'Staff', NULL, '{"members":["\(ada)","\(bob)"]}'),
                    (2, 1000, 'x', 2, 2, 16387, 'Staff', NULL, '{"ownerRoles":["\(ada)"]}'),
                    (3, 1000, 'x', 2, 2, 16387, 'Staff', NULL, '{"owners":["\(ada)"]}'),
                    (4, 1000, 'x', 2, 2, 16387, 'Staff', '{"members":["\(bob)"]}', NULL),
                    (5, 1000, 'x', 2, 2, 16387, 'Staff', 'damaged', '{"description":"All"}');
                    INSERT INTO backend (number, name, version, client_id, backend_id, settings, created, modified)
                    VALUES (1, 'app', '1.0', 'c', 'b', '{}', 1000, 1000);
                    INSERT INTO token_grant
                        (salt, backend, user_id, session, generation, rotated, detail, created, expires)
                    VALUES ('s', 1, 16385, NULL, 1, 3000, '{}', 1000, 4000000000000),
                        ('s', 1, 16385, NULL, 1, 2000, '{}', 1000, 5000000000000);
                    """)
        }
        let directory = try Directory(at: file)
        defer { directory.close() }
        func kinds(_ user: UserID) throws -> [MembershipChange.Kind] {
            try directory.unrestricted.read {
                try $0.feed.membershipChanges(of: .id(user), before: nil, limit: 9).map(\.kind)
            }
        }
        #expect(try kinds(ada) == [.becameOwner, .joined])
        #expect(try kinds(bob) == [.left, .joined])
        let uses = try directory.store.read {
            try $0.all("SELECT user_id, backend, used, ends FROM app_use") { row in
                (0..<4).map { row.integer($0) }
            }
        }
        #expect(uses == [[16385, 1, 3000, 5_000_000_000_000]])
    }

    @Test("A file of an older version is copied before its migration, and the copy goes with the first change")
    func copyBeforeMigration() throws {
        let folder = try Self.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("old.db")
        do {
            let connection = try Self.connect(file, 18)
            try connection.run(
                script: Self.usersOfVersion1.replacing("INTO user ", with: "INTO users ")
                    .replacing("'müller', '{", with: "'\(TextKey.sorting("Müller"))', '{"))
        }
        let copy = CopyBeforeMigration.path(of: try DirectoryFile(file))
        func versionOfCopy() throws -> Int64? {
            try Store.visit(copy, .current) { try $0.first(StoreStatements.userVersion) { $0.integer(0) } }
        }
        do {
            let directory = try Directory(at: file)
            defer { directory.close() }
            #expect(try directory.unrestricted.users.user("ada").lastName == "Müller")
            #expect(throws: DirectoryError.self) { try directory.unrestricted.users.create("ada") }
        }
        #expect(try versionOfCopy() == 18, "reading and refused changes keep the copy")
        let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
        #expect(mode == 0o600)

        // The copy is a directory like the original: it takes the place of the file, and is migrated again.
        try FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(atPath: copy, toPath: file.path)
        let directory = try Directory(at: file)
        defer { directory.close() }
        #expect(try versionOfCopy() == 18)
        try directory.unrestricted.users.create("eve")
        #expect(!FileManager.default.fileExists(atPath: copy))
        #expect(try directory.unrestricted.check().filter { !$0.contains("feed") } == [])
    }

    @Test("Attributes, changes and contained text of an older version are found after they were rewritten as records")
    func rewritesRecords() throws {
        let folder = try Self.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("old.db")
        do {
            let connection = try Self.connect(file, 18)
            try connection.run(
                script: """
                    \(Self.usersOfVersion1.replacing("INTO user ", with: "INTO users ")
                        .replacing("'müller', '{", with: "'\(TextKey.sorting("Müller"))', '{"))
                    INSERT INTO change VALUES
                    (1, 1000, 'x', 1, 1, 16385, 'ada', NULL, '{"emails":["ada@example.com"],"uid":"ada"}'),
                    (2, 1000, 'x', 2, 1, 16385, 'ada', '{"title":"a"}', 'damaged')
                    """)
        }
        let directory = try Directory(at: file)
        defer { directory.close() }
        let stored = try directory.core.store.read { connection in
            try connection.all(UserStatements.afterID, [.integer(0), .integer(9)]) { $0.text(7) }
                + connection.all(ChangeStatements.since, [.integer(0), .integer(9)]) { $0.text(8) }
        }
        #expect(stored.count == 4 && stored.allSatisfy { !$0.hasPrefix("{") })
        let view = directory.unrestricted
        #expect(try view.users.search(Search(.mail.contains("example"))).elements.map(\.uid) == ["Ada"])
        #expect(try view.users.search(Search(.familyName.contains("üll"))).elements.map(\.uid) == ["Ada"])
        #expect(stored.last == "damaged", "what cannot be read stays as it is")
        #expect(try view.changes.since(0, limit: 1).first?.after["emails"] == ["ada@example.com"])
    }
}
