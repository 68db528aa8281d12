import Roster
import RosterAdministration
import RosterSignIn
import RosterText

/// The views of the people that administrators saved for everybody.
enum ViewsAPI {
    static let list = Endpoint(
        "The saved views of the people that everybody can choose: names, and states as the page's address has them.",
        answer: .init(schema: [
            "type": "object", "required": ["views"],
            "properties": [
                "views": [
                    "type": "array",
                    "items": [
                        "type": "object", "required": ["name", "state"],
                        "properties": ["name": ["type": "string"], "state": ["type": "string"]],
                    ],
                ]
            ],
        ])
    ) { call in
        // Read before, because settings are not read within another read.
        let views = call.oauth.settings.current.peopleViews
        // The look-up refuses who may read nothing of the directory.
        return try call.lookingUp { _ in .json(["views": .array(views.map(\.document))]) }
    }

    static let set = Endpoint(
        "Save a view of the people for everybody: 'state' is the part of the page's address after the question mark. 'former' is the name "
            + "that it had.",
        body: .object, answer: .init(others: [201])
    ) { call in
        let (name, body) = (call.arguments[0], try call.json())
        if let other = body.members.first(where: { !["state", "former"].contains($0.name) }) {
            throw RequestError(.badRequest, "There is no '\(other.name)'. Give state, and former for a new name.")
        }
        guard let state = body["state"]?.text, body["former"].map({ $0.text != nil }) ?? true else {
            throw RequestError(.badRequest, "'state' and 'former' take text.")
        }
        return .later {
            let answer = try await call.administration.run(
                SetView(name, state: state, former: body["former"]?.text))
            return .json(
                ["name": .string(name), "state": .string(state)], status: answer["is_new"] == true ? 201 : 200)
        }
    }

    static let delete = Endpoint("Delete a view of the people for everybody.", answer: .none) {
        $0.done(DeleteView($0.arguments[0]))
    }
}
