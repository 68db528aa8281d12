import Foundation
import Roster

let organizationCommand = Command(
    name: "org", summary: "Draws reporting lines as a tree: below a user, or below everyone without a manager.",
    operands: "[NAME]",
    options: [
        Command.directory, .init("depth", "N", "the number of levels to draw (default: all)"),
        .init("up", nil, "draw the managers from the top down to the user instead"),
    ],
    example: "roster org --database company.db ada --depth 3"
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let users = try await arguments.view().users
    let chart = OrganizationChart(users, depth: try arguments.number("depth"))
    guard let name = arguments.operands.first else {
        if arguments.has("up") { throw UsageError("--up needs the user's name.") }
        var last: UserID?
        repeat {
            let page = try await users.withoutManager(
                attributes: OrganizationChart.attributes, limit: 1_000, after: last)
            for user in page { try await chart.drawDown(from: user) }
            last = page.count == 1_000 ? page.last?.id : nil
        } while last != nil
        return
    }
    let user = try await users.user(UserReference.either(name), attributes: OrganizationChart.attributes)
    if arguments.has("up") {
        try await chart.drawUp(from: user)
    } else {
        try await chart.drawDown(from: user)
    }
}
