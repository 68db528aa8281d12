import Roster
import RosterText

/// Batches of changes: several requests whose changes carry one number, and can be undone together.
enum BatchesAPI {
    /// The header field of a changing request that names the batch of the request's changes.
    static let field = "Roster-Batch"

    static let fieldParameter = Endpoint.Parameter(
        name: field, summary: "The number of the batch to which the changes of the request belong.",
        schema: ["type": "integer", "minimum": 1, "maximum": .integer(.max)], isHeader: true)

    static let begin = Endpoint(
        "Begin a batch. Changes of the same caller whose requests have its number in '\(field)' carry the number in the change feed.",
        answer: .init(
            status: 201,
            schema: ["type": "object", "required": ["batch"], "properties": ["batch": ["type": "integer"]]])
    ) { call in
        .later { .json(["batch": .integer(try await call.view.changes.beginBatch())], status: 201) }
    }

    static let undo = Endpoint(
        "Make the opposite changes of one's own batch (of any, for administrators), with the rights that the caller has now. Left out and "
            + "named are those whom others have changed since, who were created, deleted or erased, and changes whose former values the "
            + "change feed does not hold. 'batch' is the number of the opposite batch.",
        parameters: [
            .init(
                name: "preview", summary: "Whether nothing is kept.",
                schema: ["type": "string", "enum": ["true", "false"]])
        ], answer: .init(schema: report)
    ) { call in
        guard let number = Int64(call.arguments[0]) else {
            throw RequestError(.notFound, "The number of a batch is a whole number.")
        }
        let isPreview: Bool
        switch try call.parameter("preview") {
        case nil, "false"?: isPreview = false
        case "true"?: isPreview = true
        default: throw RequestError(.badRequest, "'preview' takes true or false.")
        }
        return .later { .json(try await call.view.changes.undo(number, isPreview: isPreview).json) }
    }

    private static let report: JSONValue = [
        "type": "object", "required": ["undone", "left_out", "left_out_count"],
        "properties": [
            "batch": ["type": "integer"], "undone": ["type": "integer"], "left_out_count": ["type": "integer"],
            "left_out": [
                "type": "array",
                "items": [
                    "type": "object", "required": ["entity", "id", "name", "reason"],
                    "properties": [
                        "entity": ["type": "string"], "id": ["type": "string"], "name": ["type": "string"],
                        "reason": ["type": "string"],
                    ],
                ],
            ],
        ],
    ]

    /// The number in the header field of a request; nil without the field.
    ///
    /// - Throws: 400 for anything but a number.
    static func number(of request: HTTPRequest) throws -> Int64? {
        guard let text = request.headers[field] else { return nil }
        guard let number = Int64(text), number > 0 else {
            throw RequestError(.badRequest, "'\(field)' takes the number of a batch.")
        }
        return number
    }
}
