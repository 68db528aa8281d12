import Roster
import RosterAdministration
import RosterSignIn
import RosterText

/// The change feed as an audit log, for administrators.
enum LatestChangesAPI {
    static let list = Endpoint(
        "The latest entries of the change feed, newest first, as an audit log. A page can be short although there is a 'next'. Sign-ins "
            + "that are alike within an hour are one entry with their number in 'count'; 'time' and 'last_time' are those of the first "
            + "and the last.",
        parameters: [
            .init(
                name: "before", summary: "The number before which entries are searched: 'next' of the page before.",
                schema: ChangesAPI.number),
            .init(
                name: "limit", summary: "How many at most, 1 to 1,000; 100 unless given.",
                schema: ["type": "integer", "minimum": 1, "maximum": 1000]),
            .init(
                name: "kind", summary: "What happened.",
                schema: ["type": "string", "enum": .texts(ListLatestChanges.kinds.map { "\($0)" })]),
            .init(
                name: "entity", summary: "What it happened to.",
                schema: ["type": "string", "enum": .texts(ListLatestChanges.entities.map { "\($0)" })]),
            .init(
                name: "subject", summary: "The name or the identifier of what it happened to.",
                schema: ["type": "string"]),
            .init(name: "actor", summary: "Who did it, as the entries show it.", schema: ["type": "string"]),
            .init(
                name: "batch", summary: "The number of the batch of changes to which the entries belong.",
                schema: ChangesAPI.number),
        ],
        answer: .init(schema: [
            "type": "object", "required": ["elements"],
            "properties": ["elements": ["type": "array", "items": ["type": "object"]], "next": ["type": "integer"]],
        ])
    ) { call in
        let limit = try call.integer("limit") ?? 100
        guard (1...1_000).contains(limit) else { throw RequestError(.badRequest, "'limit' takes 1 to 1000.") }
        let before = try ChangesAPI.number(call.parameter("before"), "before")
        var question = ListLatestChanges()
        (question.limit, question.before) = (limit, before)
        (question.kind, question.entity) = (try call.parameter("kind"), try call.parameter("entity"))
        (question.subject, question.actor) = (try call.parameter("subject"), try call.parameter("actor"))
        question.batch = try ChangesAPI.number(call.parameter("batch"), "batch")
        return call.answering(question)
    }
}
