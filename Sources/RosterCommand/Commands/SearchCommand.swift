import Foundation
import Roster

/// Parses a filter: in LDAP's language if requested or if it looks like LDAP, in SCIM's language otherwise.
func searchFilter(
    _ text: String, isLDAP: Bool = false, of entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary
) throws -> Filter {
    isLDAP || looksLikeLDAP(text)
        ? try Filter(ldap: text, vocabulary: vocabulary, for: entity)
        : try Filter(scim: text, vocabulary: vocabulary, for: entity)
}

/// Whether the text begins like `(&…`, `(|…`, `(!…` or `(attribute=…`. SCIM's language has no equals sign after an
/// attribute's name.
private func looksLikeLDAP(_ text: String) -> Bool {
    let text = text.drop(while: \.isWhitespace)
    guard text.first == "(" else { return false }
    let inside = text.dropFirst().drop(while: \.isWhitespace)
    if let first = inside.first, "&|!".contains(first) { return true }
    return inside.prefix(while: { !$0.isWhitespace && !"([\"".contains($0) }).contains("=")
}

/// The options of the commands that find users.
let searchOptions: [Command.Option] = [
    .init("attributes", "LIST", "the attributes to show, such as uid,mail,title"),
    .init("sort", "ATTRIBUTE", "sort by this attribute, or by several with commas between"),
    .init("descending", nil, "sort in descending order"),
    .init("page-size", "N", "the size of the page, 1 to 10000 (default 50)"),
    .init("page", "P", "the number of the page, from 1"),
    .init("cursor", "TEXT", "continue after the page that printed this cursor"),
    .init("count", nil, "only print the number of users"),
]

let searchCommand = Command(
    name: "search", summary: "Finds users.", operands: "[FILTER]",
    options: [Command.directory] + searchOptions + [
        .init(
            "ldap", nil,
            "read the filter as LDAP (RFC 4515). Filters like (sn=M*) always are; others are SCIM (RFC 7644)"),
        .init(
            "matching", "WORDS",
            "find people by words as somebody types them: beginnings of names, titles, departments and addresses, or digits of a telephone number"
        ),
        .init("explain", nil, "only tell how the filter is answered, and which index would help"),
        Command.format,
    ],
    example: "roster search --database company.db 'surname sw \"Mü\" and active eq true' --attributes uid,mail"
) { arguments in
    try arguments.expectOperands(atMost: 1)
    if let words = arguments.value("matching") { return try await showMatches(words, arguments, arguments.view()) }
    try await showUsers(arguments.operands.first, arguments, arguments.view())
}

/// Shows the users whom words find, the best first.
private func showMatches(_ words: String, _ arguments: Arguments, _ view: DirectoryView) async throws {
    guard arguments.operands.isEmpty else { throw UsageError("Give a filter or --matching, not both.") }
    for name in ["sort", "descending", "page", "cursor", "count", "ldap", "explain"]
    where arguments.has(name) || arguments.value(name) != nil {
        throw UsageError("--matching and --\(name) exclude each other: the best matches come first, on one page.")
    }
    let shown = try arguments.shownAttributes(view.attributes.vocabulary())
    let limit = try arguments.number("page-size", least: 1) ?? 20
    let users = try await view.users.matching(words, attributes: .only(shown), limit: limit).map(\.user)
    let output = try await peopleOutput(users, shown, arguments, view)
    try output.show()
    if users.isEmpty, output.format == .table { Terminal.note("No user was found.") }
}

/// Shows a page of the users that a filter selects, or of all users.
func showUsers(_ text: String?, _ arguments: Arguments, _ view: DirectoryView) async throws {
    let vocabulary = view.attributes.vocabulary()
    var search = Search(pageSize: try arguments.number("page-size", least: 1) ?? 50)
    if let text {
        search.filter = try searchFilter(text, isLDAP: arguments.has("ldap"), of: .user, vocabulary)
    }
    if arguments.has("explain") { return try await explain(&search, arguments, vocabulary, view) }
    if arguments.has("count") {
        search.pageSize = 0
        search.includesTotal = true
        Terminal.write("\(try await view.users.search(search).total ?? 0)\n")
        return
    }
    let shown = try arguments.shownAttributes(vocabulary)
    search.attributes = .only(shown)
    search.sort = try searchOrder(arguments, vocabulary)
    let pageNumber = try arguments.number("page", least: 1)
    if let cursor = arguments.value("cursor") {
        guard pageNumber == nil else { throw UsageError("Give --page or --cursor, not both.") }
        search.start = .cursor(Cursor(cursor))
    } else if let pageNumber {
        search.start = .page(pageNumber)
    }
    let page = try await view.users.search(search)
    let output = try await peopleOutput(page.elements, shown, arguments, view)
    try output.show()
    if page.elements.isEmpty, output.format == .table { Terminal.note("No user was found.") }
    if let next = page.next { Terminal.note("There are more: add --cursor \(next)") }
}

/// The order of `--sort` and `--descending`.
private func searchOrder(_ arguments: Arguments, _ vocabulary: Vocabulary) throws -> [Search.Sort] {
    guard let names = arguments.value("sort") else {
        if arguments.has("descending") { throw UsageError("--descending needs --sort ATTRIBUTE[,ATTRIBUTE…].") }
        return []
    }
    return try names.split(separator: ",", omittingEmptySubsequences: false).map {
        Search.Sort(try attribute(String($0), of: .user, vocabulary).name, descending: arguments.has("descending"))
    }
}

/// Tells how a search is answered.
private func explain(
    _ search: inout Search, _ arguments: Arguments, _ vocabulary: Vocabulary, _ view: DirectoryView
) async throws {
    search.sort = try searchOrder(arguments, vocabulary)
    let explanation = try await view.users.explain(search)
    for line in explanation.lines { Terminal.write(Terminal.safe(line) + "\n") }
    if explanation.readsEverybody { Terminal.write("No index answers the filter, so that every user is read.\n") }
    for name in explanation.helpfulIndexes {
        Terminal.write("An index would help: roster attribute index \(Terminal.safe(name.rawValue))\n")
    }
}
