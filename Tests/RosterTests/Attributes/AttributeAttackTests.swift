import Foundation
import Roster
import Testing
import TestSupport

@Suite("Attacks on the attributes of an app", .timeLimit(.minutes(3)))
struct AttributeAttackTests {
    @Test("A user's own values cannot hold the writer by a costly pattern, however many there are")
    func costlyPattern() throws {
        try withDirectory(.memory) { directory in
            let admin = directory.unrestricted
            try admin.attributes.declare(
                AttributeDefinition(
                    "tags", isMultiValued: true, rules: .pattern(#"(\p{L}*){600}"#), readers: .person, writers: .person)
            )
            let ada = try admin.users.create("ada", attributes: ["tags": ["short"]]).id
            let own = directory.acting(as: .user(ada))
            let values = (0..<8).map { AttributeValue.string(String(repeating: "a", count: 60_000) + "\($0)") }
            let before = try admin.changes.lastSequence()
            for changes in [
                [AttributeChange.set("tags", .list(values))], [.add("tags", values)],
                // The steps are those of the whole change.
                values.map { .add("tags", [$0]) },
            ] {
                let time = processorTimeOfProcess {
                    let error = #expect(throws: DirectoryError.self) { try own.users.modify(.id(ada), changes) }
                    #expect(error?.code == .invalidAttribute && error?.attribute == "tags")
                    #expect(error?.message.contains("takes too long") == true, "\(error?.message ?? "")")
                }
                #expect(time < .seconds(30), "\(time)")
            }
            #expect(try admin.changes.lastSequence() == before)
            let short = AttributeValue.string("long" + String(repeating: "a", count: 100))
            try own.users.modify(.id(ada), [.add("tags", [short])])
        }
    }

    @Test("A read that has begun shows no value of an attribute whose name has got another meaning since")
    func renamedMeanwhile() throws {
        try withDirectory(.file) { directory in
            let admin = directory.unrestricted
            try admin.attributes.declare(AttributeDefinition("salary", readers: .administrators))
            try admin.users.create("ada", attributes: ["salary": "884711"])
            let eve = try admin.users.create("eve").id
            let names = try directory.acting(as: .user(eve)).read { transaction in
                let isDone = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    #expect(throws: Never.self) {
                        try admin.attributes.rename("salary", to: "pay")
                        try admin.attributes.declare(AttributeDefinition("salary"))
                    }
                    isDone.signal()
                }
                isDone.wait()
                return try transaction.users.user("ada").attributes.map(\.name)
            }
            #expect(!names.contains("salary"))
            #expect(admin.attributes.vocabulary().definition(of: "salary")?.readers == .signedIn)
            #expect(try admin.users.user("ada")["pay"] == "884711")
        }
    }

    @Test("A secret that has values gets no rule that would tell which users share one")
    func secretsStaySecret() throws {
        try withDirectory(.memory) { directory in
            let admin = directory.unrestricted
            try admin.attributes.declare(AttributeDefinition("pin", readers: .nobody))
            try admin.attributes.setRules(.unique, of: "pin")
            try admin.attributes.setRules([], of: "pin")
            for name in ["ada", "eve"] { try admin.users.create(name, attributes: ["pin": "4711"]) }
            for rules in [.unique, .pattern("4.*"), [.unique, .minimumLength(4)]] as [AttributeRules] {
                let error = #expect(throws: DirectoryError.self) { try admin.attributes.setRules(rules, of: "pin") }
                #expect(error?.code == .invalidAttribute && error?.message.contains("ada") == false, "\(rules)")
            }
            try admin.attributes.setRules([], of: "pin")
        }
    }

    /// The processor time of the process, because the writer has a thread of its own.
    private func processorTimeOfProcess(_ work: () throws -> Void) rethrows -> Duration {
        func time() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
        }
        let start = time()
        try work()
        return time() - start
    }
}
