import Foundation
import Roster
import Testing
import TestSupport

@Suite("Which attributes are fetched")
struct SelectionTests {
    @Test("The usual ones, all of them, these alone, or none", arguments: Place.allCases)
    func selections(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            let photo = Data([0xFF, 0xD8, 0xFF, 0xE0])
            try view.users.create("ada", attributes: [.title: "Lead", .givenName: "Ada", .photo: .binary(photo)])
            try view.roles.create("staff")
            try view.roles.add([.user("ada")], to: "staff")
            func names(_ selection: AttributeSelection) throws -> [AttributeName] {
                let one = try view.users.user("ada", attributes: selection)
                let listed = try view.users.search(Search(attributes: selection)).elements
                #expect(listed.map { $0.attributes.map(\.name) } == [one.attributes.map(\.name)])
                #expect(listed.map { $0[.memberOf] } == [one[.memberOf]])
                return one.attributes.map(\.name)
            }
            #expect(try names(.usual) == [.givenName, .title] && names([]) == [.givenName, .title])
            #expect(try names(.all) == [.givenName, .photo, .title])
            #expect(try names(.only([.title])) == [.title] && names([.title]) == [.title])
            #expect(try names(.only([])) == [])
            #expect(try view.users.user("ada", attributes: .all)[.memberOf] == ["staff"])
            #expect(try view.users.user("ada")[.memberOf] == nil)
            #expect(try view.users.user("ada", attributes: .all).photo == photo)
            #expect(try view.roles.role("staff", attributes: .only([])).attributes.isEmpty)
        }
    }

    @Test("A value that was not fetched is different from one that the user does not have", arguments: Place.allCases)
    func fetched(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            let created = try view.users.create("ada", attributes: [.title: "Lead"])
            #expect(created.isFetched(.title) && created.isFetched(.mail) && !created.isFetched(.photo))
            let usual = try view.users.user("ada")
            #expect(usual.isFetched(.mail) && usual[.mail] == nil)
            #expect(!usual.isFetched(.photo) && !usual.isFetched(.memberOf) && !usual.isFetched("nonsense"))
            let title = try #require(try view.users.search(Search(attributes: [.title])).elements.first)
            #expect(title.isFetched(.title) && title.isFetched(.uid))
            #expect(!title.isFetched(.mail) && !title.isFetched(.familyName))
            let mail = try view.users.user("ada", attributes: [.mail])
            #expect(mail.isFetched(.mail) && mail.isFetched("emails") && !mail.isFetched(.title))
            let all = try view.users.user("ada", attributes: .all)
            #expect(all.isFetched(.photo) && all.isFetched(.memberOf) && !all.isFetched("password"))
            let role = try view.roles.create("staff")
            #expect(role.isFetched(.name) && role.isFetched("description"))
            #expect(try !view.roles.role("staff", attributes: .only([])).isFetched("description"))
        }
    }
}
