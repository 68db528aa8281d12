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
        try await chart.drawDown(from: nil)
        return
    }
    let user = UserReference.either(name)
    if arguments.has("up") {
        try await chart.drawUp(from: users.user(user, attributes: OrganizationChart.attributes))
    } else {
        try await chart.drawDown(from: user)
    }
}
