import Foundation
import Roster
import RosterOpenID
import RosterSignIn
import RosterText

/// What the directory tells everybody: who is new, and who has moved.
enum NewsAPI {
    static let news = Endpoint(
        "The users who are new, or whose manager, title or department has changed, latest first, as far as the caller may read it.",
        parameters: [
            .init(
                name: "limit", summary: "How many at most, 1 to 50; 12 unless given.",
                schema: ["type": "integer", "minimum": 1, "maximum": 50])
        ], answer: .init(schema: list)
    ) { call in
        let limit = try call.integer("limit") ?? 12
        guard (1...50).contains(limit) else { throw RequestError(.badRequest, "'limit' takes 1 to 50.") }
        return call.reading { transaction in
            .json([
                "elements": .array(
                    try transaction.overview.news(limit: limit).map { try element($0, in: transaction) })
            ])
        }
    }

    private static func element(_ news: PersonNews, in transaction: Transaction) throws -> JSONValue {
        func shown(_ values: AttributeSet) throws -> JSONValue {
            var members: [JSONValue.Member] = []
            for name in ["title", "department"] as [AttributeName] {
                if let text = values[name]?.text { members.append(.init(name.rawValue, .string(text))) }
            }
            if let id = values["manager"]?.text.flatMap({ UserID($0) }) {
                let label = try transaction.users.label(of: id) ?? ""
                members.append(.init("manager", ["id": .string(id.description), "name": .string(label)]))
            }
            return .object(members)
        }
        return [
            "kind": .string(news.change.kind == .created ? "new" : "moved"), "id": .string(news.user.id.description),
            "name": .string(news.user.label), "time": .string(Timestamp.text(news.change.time)),
            "before": try shown(news.change.before), "after": try shown(news.change.after),
        ]
    }

    private static let list: JSONValue = [
        "type": "object", "required": ["elements"],
        "properties": ["elements": ["type": "array", "items": ["type": "object"]]],
    ]
}
