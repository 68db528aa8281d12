import RosterStore
import Testing
import TestSupport

@testable import Roster

@Suite("Values that are older than the checks of addresses and dates")
struct OldValuesTests {
    @Test("An older value stays valid when it is written back together with new values", arguments: Place.allCases)
    func oldValues(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            try view.users.create("ada", attributes: ["emails": ["ada@x.org"], "hireDate": "2020"])
            try directory.core.store.write { connection in
                try connection.run(
                    script: """
                        UPDATE users SET attributes = '{"emails":["old address"],"hireDate":"spring"}';
                        UPDATE attribute_value SET key = 'old address' WHERE attribute = 'emails';
                        INSERT INTO text_index (text_index) VALUES ('delete-all');
                        INSERT INTO text_index (rowid, name, mail) VALUES ((SELECT id FROM users), 'ada', 'old address');
                        """)
            }
            try view.users.modify("ada", [.add("emails", ["new@x.org"]), .set("hireDate", "spring")])
            try view.users.modify("ada", [.set("emails", ["new@x.org", ["value": "old address", "type": "home"]])])
            #expect(code { try view.users.modify("ada", [.add("emails", ["another one"])]) } == .invalidAttribute)
            #expect(code { try view.users.modify("ada", [.set("hireDate", "autumn")]) } == .invalidAttribute)
            #expect(try view.users.user("ada")["emails"]?.elements.count == 2)
        }
    }
}
