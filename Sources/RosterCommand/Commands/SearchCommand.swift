import Foundation
import Roster

let searchCommand = Command(
    name: "search", summary: "Finds users.", operands: "[FILTER]",
    options: [
        Command.database, .init("attributes", "LIST", "which to show, such as uid,mail,title"),
        .init("sort", "ATTRIBUTE", "in which order"), .init("descending", nil, "the greatest first"),
        .init("page-size", "N", "how many, 1 to 10000 (50 where not given)"), .init("page", "P", "which page, from 1"),
        .init("cursor", "TEXT", "go on where a page ended; the page tells"),
        .init("count", nil, "only tell how many there are"),
        .init("ldap", nil, "the filter is LDAP's (RFC 4515), not SCIM's (RFC 7644)"), Command.format,
    ],
    example: "roster search --database company.db 'surname sw \"Mü\" and active eq true' --attributes uid,mail"
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let users = try arguments.readableDirectory().unrestricted
    let vocabulary = users.attributes.vocabulary()
    var filter = Filter.everything
    if let text = arguments.operands.first {
        let isLDAP = arguments.has("ldap") || text.hasPrefix("(&") || text.hasPrefix("(|") || text.hasPrefix("(!")
        filter =
            isLDAP ? try Filter(ldap: text, vocabulary: vocabulary) : try Filter(scim: text, vocabulary: vocabulary)
    }
    var search = Search(filter, pageSize: try arguments.number("page-size", least: 1) ?? 50)
    if arguments.has("count") {
        search.pageSize = 0
        search.includesTotal = true
        Terminal.write("\(try await users.users.search(search).total ?? 0)\n")
        return
    }
    let shown = try arguments.attributes(of: .user, vocabulary) ?? ["uid", "commonName", "title", "department", "mail"]
    search.attributes = shown
    if let name = arguments.value("sort") {
        guard let definition = vocabulary.definition(named: name) else {
            throw UsageError("There is no attribute '\(name)'.")
        }
        search.sort = Search.Sort(definition.name, descending: arguments.has("descending"))
    }
    if let cursor = arguments.value("cursor") {
        search.start = .cursor(Cursor(cursor))
    } else if let page = try arguments.number("page", least: 1) {
        search.start = .page(page)
    }
    let page = try await users.users.search(search)
    var output = try Output(arguments, columns: shown.map(\.rawValue))
    for user in page.elements { output.add(shown.map { user[$0] }) }
    output.show()
    if page.elements.isEmpty, output.format == .table { Terminal.note("Nobody was found.") }
    if let next = page.next, output.format == .table { Terminal.note("There are more: add --cursor \(next)") }
}
