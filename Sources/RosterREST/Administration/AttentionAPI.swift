import Foundation
import Roster
import RosterOpenID
import RosterSignIn
import RosterText

/// What needs an administrator's attention.
enum AttentionAPI {
    static let read = Endpoint(
        "What needs an administrator's hand: users without a manager or a mail address, disabled managers, apps and tokens "
            + "that nobody uses, tokens, certificates and signing keys near their end, and refused sign-ins of the last day. 'filter' selects the users in the "
            + "filter language of SCIM. A 'count' over 1,000 is 1,000 with 'more'.",
        answer: .init(
            schema: [
                "type": "object", "required": ["version", "elements"],
                "properties": [
                    "version": ["type": "string"],
                    "elements": [
                        "type": "array",
                        "items": [
                            "type": "object", "required": ["name", "count", "more"],
                            "properties": [
                                "name": [
                                    "type": "string",
                                    "enum": [
                                        "without_manager", "disabled_managers", "without_mail", "unused_apps",
                                        "unused_tokens", "tokens", "certificates", "keys", "refused_sign_ins",
                                    ],
                                ],
                                "count": ["type": "integer"], "more": ["type": "boolean"],
                                "filter": ["type": "string"],
                                "subjects": ["type": "array", "items": ["type": "string"]],
                            ],
                        ],
                    ],
                ],
            ])
    ) { call in
        .later {
            let context = call.context
            let now = context.directory.now
            let (people, apps, tokens) = try await call.view.awaitRead { transaction in
                (
                    try transaction.overview.attention(),
                    try transaction.backends.unused(since: now.addingTimeInterval(-unusedAfter)),
                    try transaction.apiTokens.all()
                )
            }
            var elements = [
                element("without_manager", people.withoutManager, filter: "not (manager pr)"),
                element(
                    "disabled_managers", people.disabledManagers.count, most: Attention.mostNamed,
                    filter: people.disabledManagers.prefix(Attention.mostNamed).map { "id eq \"\($0)\"" }
                        .joined(separator: " or ")),
                element("without_mail", people.withoutMail, filter: "not (emails.value pr)"),
                element("unused_apps", apps),
                element("unused_tokens", tokens.filter { $0.isUnused(since: now - unusedAfter, at: now) }.map(\.name)),
                element("tokens", tokens.filter { $0.expires.map { $0 < now + soon } ?? false }.map(\.name)),
            ]
            let certificates =
                context.certificateEnds().enumerated().filter { $0.element < now + soon }.map { index, _ in
                    index == 0 ? "this server" : "authority \(index) of this server"
                }
                + (await context.oauth.external.trust.storedCertificates()).filter { $0.end < now + soon }.map(
                    \.subject)
            elements.append(element("certificates", certificates))
            let keys = try context.directory.signInRecords.signingKeys().filter { key in
                (key.retired.map { now < $0 } ?? true) && key.created < now - keyAge
            }
            elements.append(element("keys", keys.map { "\($0.algorithm.rawValue) \($0.id)" }))
            elements.append(element("refused_sign_ins", people.refused))
            return .json(["version": .string(programVersion), "elements": .array(elements)])
        }
    }

    /// The seconds before an end that are near the end.
    private static let soon: TimeInterval = 30 * 86_400
    /// The seconds after which an app without a new token, and a token that no program has sent, need the administrator's attention.
    private static let unusedAfter: TimeInterval = 30 * 86_400
    /// The seconds after which a key that signs tokens is old.
    private static let keyAge: TimeInterval = 365 * 86_400

    private static func element(
        _ name: String, _ count: Int, most: Int = Attention.most, filter: String? = nil
    ) -> JSONValue {
        var element: JSONValue = [
            "name": .string(name), "count": .integer(Int64(min(count, most))), "more": .boolean(count > most),
        ]
        if let filter, count > 0 { element["filter"] = .string(filter) }
        return element
    }

    private static func element(_ name: String, _ subjects: [String]) -> JSONValue {
        var element = element(name, subjects.count, most: Attention.mostNamed)
        element["subjects"] = .texts(Array(subjects.prefix(Attention.mostNamed)))
        return element
    }
}
