import Roster
import RosterText

/// The search for people by words, an extension of RFC 7644: `GET /Users?matching=okafor+gr`.
extension SCIMAPI {
    /// The most people of an answer, and the number of people if the client gives none.
    private static let (mostMatches, usualMatches) = (200, 20)

    static let matchingParameter = Endpoint.Parameter(
        name: "matching",
        summary:
            "Words that people's names, titles, departments or addresses begin with, or digits of a telephone number; the best "
            + "matches come first. Only with 'count', 'attributes' and 'excludedAttributes'.",
        schema: ["type": "string", "maxLength": 256])

    /// Answers with the people whom words find, the best first.
    static func match(_ text: String, _ call: Call, _ request: SCIMSearch) throws -> Reply {
        guard request.filter == nil, request.sortBy == nil, request.cursor == nil, request.startIndex == 1 else {
            throw SCIMError(
                .invalidValue,
                "'matching' excludes 'filter', 'sortBy', 'startIndex' and 'cursor': the best matches come first.")
        }
        let derived = call.context.derived(call.view.attributes.vocabulary())
        let projection = try SCIMProjection(
            attributes: request.attributes, excluding: request.excluded, of: derived.scimType(of: .user))
        let count = request.count == SCIMSearch.maximumCount ? usualMatches : min(request.count, mostMatches)
        let context = call.context
        return call.reading { transaction in
            var found = Found()
            if count > 0 {
                let users = try transaction.search.matching(text, projection.fetched(.user, derived), limit: count).map(
                    \.user)
                let writer = SCIMWriter(context, transaction, .user, projection)
                try found.add(users, of: users.count, with: writer.related) {
                    try writer.append($0, $1, to: &$2)
                }
            }
            return try .scimList(found, request, context.seal)
        }
    }
}
