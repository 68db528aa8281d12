import Dispatch
import Roster
import RosterFixtures
import TestSupport
import Testing

/// Writes down what came from where.
private final class Notes: EntityDelegate {
    let lines = Gathered<String>()

    func didReceive<Value: Sendable>(
        _ entities: Result<Value, any Error>, from source: EntitySource, withHandle handle: AsyncOperationHandle<Value>
    ) {
        lines.append("\(Value.self) from \(source)")
    }

    func didFinishOperation(
        error: (any Error)?, by source: EntitySource, withHandle handle: AsyncOperationHandle<Void>
    ) {
        lines.append("\(error == nil ? "done" : "failed") by \(source)")
    }
}

@Suite("A delegate as a parameter", .timeLimit(.minutes(1)))
struct DelegateParameterTests {
    @Test("Each call reports to its own delegate, or else to that of the manager")
    func calls() async throws {
        let view = try Fixtures.company().unrestricted
        let (own, other) = (Notes(), Notes())
        var users = view.users
        users.delegate = other
        let (emma, role) = (try await users.user("emma.mueller"), try await view.roles.role("engineering"))
        users.userAsynchronously(emma, deliveringOn: .global(), delegate: own)
        users.modifyAsynchronously(emma, attributes: [.nickName: "E"], deliveringOn: .global(), delegate: own)
        view.roles.addAsynchronously(emma, to: "nobody", deliveringOn: .global(), delegate: own)
        emma.managerAsynchronously(deliveringOn: .global(), delegate: own)
        role.membersAsynchronously(deliveringOn: .global(), delegate: own)
        users.userAsynchronously("kenji.sato", deliveringOn: .global())
        #expect(
            try await onThread { own.lines.wait(for: 5) }.sorted() == [
                "Array<User> from role \(role.debugDescription)", "Optional<User> from user \(emma.debugDescription)",
                "User from \(users)", "done by \(users)", "failed by \(view.roles)",
            ])
        #expect(try await onThread { other.lines.wait(for: 1) } == ["User from \(users)"])
    }

    @Test("Users and roles report to the delegate of the manager that read them, and to their own one once that is set")
    func handed() async throws {
        let view = try Fixtures.company().unrestricted
        let (screen, other) = (Notes(), Notes())
        var (users, roles) = (view.users, view.roles)
        users.delegate = screen
        roles.delegate = screen
        var emma = try await users.user("emma.mueller")
        let role = try await roles.role("engineering")
        emma.managerAsynchronously(deliveringOn: .global())
        emma.attributeAsynchronously(.title, deliveringOn: .global())
        role.membersAsynchronously(deliveringOn: .global())
        let members = try await role.members()
        let member = try #require(members.first)
        member.reporteesAsynchronously(deliveringOn: .global())
        #expect(
            try await onThread { screen.lines.wait(for: 4) }.sorted() == [
                "Array<User> from role \(role.debugDescription)", "Array<User> from user \(member.debugDescription)",
                "Optional<AttributeValue> from user \(emma.debugDescription)",
                "Optional<User> from user \(emma.debugDescription)",
            ])
        emma.delegate = other
        emma.managerAsynchronously(deliveringOn: .global())
        #expect(
            try await onThread { other.lines.wait(for: 1) } == ["Optional<User> from user \(emma.debugDescription)"])
        #expect(screen.lines.all.count == 4)
        #expect(try await view.users.user("emma.mueller").delegate == nil)
    }

    @Test("A user does not keep the delegate of the manager alive")
    func ended() throws {
        let view = try Fixtures.company().unrestricted
        var users = view.users
        let emma = try withExtendedLifetime(Notes()) { screen in
            users.delegate = screen
            return try users.user("emma.mueller")
        }
        #expect(emma.delegate == nil && users.delegate == nil)
    }
}
