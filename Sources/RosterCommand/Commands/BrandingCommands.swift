import Foundation
import Roster
import RosterAdministration
import RosterText

let brandingCommand = Command(
    "branding", "Shows or sets the organization's name, colour and logo, which pages and mails show.", "",
    [
        .init("name", "NAME", "the name; an empty one removes it"),
        .init("color", "COLOR", "the colour, such as #1f5fbf; an empty one removes it"),
        .init("logo", "FILE", "a PNG, JPEG or WebP of at most 64 KiB; an empty name removes the logo"), Command.format,
    ], changes: true, example: "--name 'Example Ltd.' --color '#1f5fbf' --logo logo.png"
) { arguments in
    try arguments.expectOperands(atMost: 0)
    var branding: JSONValue = [:]
    for option in ["name", "color", "logo"] {
        guard let text = arguments.value(option) else { continue }
        branding[option] = text.isEmpty ? .null : .string(option == "logo" ? try logo(inFile: text) : text)
    }
    let isShownOnly = branding.members.isEmpty
    let administration = try await arguments.administration(isShownOnly ? .reading : .changing)
    let shown =
        try await isShownOnly
        ? administration.run(ReadBranding()) : administration.run(SetBranding(JSONDocument(branding)))
    try Output.show(["name", "color", "logo"].map { ($0, shown.shown($0)) }, arguments)
}

/// The picture of a file in base64.
private func logo(inFile path: String) throws -> String {
    // More bytes than a logo can have are enough for the refusal.
    guard let data = try InputFile.read(path, upTo: 1 << 17) else {
        throw UsageError("'\(path)' cannot be read. Check the path.")
    }
    return Base64.text(data)
}

let viewCommands: [Command] = [
    Command("view list", "Lists the saved views of the people that everybody can choose.", "", [Command.format]) {
        arguments in
        try arguments.expectOperands(atMost: 0)
        var output = try Output(arguments, columns: ["name", "state"])
        for view in try await arguments.administration().peopleViews() {
            output.add([.string(view.name), .string(view.state)])
        }
        try output.show()
    },
    Command(
        "view set", "Saves a view of the people for everybody.", "NAME STATE",
        [.init("former", "NAME", "the name that the view had, to rename it")], changes: true,
        example: "Leads 'q=lead&sort=title'"
    ) { arguments in
        try arguments.expectOperands(atMost: 2)
        let name = try arguments.operand(0, "The view's name")
        let state = try arguments.operand(1, "The view's state, which follows the question mark in the page's address,")
        try await arguments.administration(.changing).setPeopleView(
            name, state: state, former: arguments.value("former"))
    },
    Command("view delete", "Deletes a view for everybody.", "NAME", changes: true, example: "Leads") { arguments in
        try arguments.expectOperands(atMost: 1)
        let name = try arguments.operand(0, "The view's name")
        try await arguments.administration(.changing).deletePeopleView(name)
    },
]
