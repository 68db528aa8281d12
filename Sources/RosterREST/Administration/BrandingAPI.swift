import Roster
import RosterAdministration
import RosterSignIn
import RosterText

/// What everybody may know of the organization: its name, its colour and its logo. The sign-in pages show it before anybody is known.
enum BrandingAPI {
    private static let color = Endpoint.Parameter(
        name: "color", summary: "A colour in place of the stored one, such as #1f5fbf, to see its shades.",
        schema: ["type": "string", "pattern": "^#[0-9A-Fa-f]{6}$"])

    static let read = Endpoint(
        "The name, the colour and the logo of the organization, and the shades of the colour that pages use; null for what is not set.",
        parameters: [color, .ifNoneMatch], answer: .init(schema: schema, others: [304])
    ) { call in
        .now(call.unlessKnown(document(try call.branding()).bytes, type: "application/json"))
    }

    static let style = Endpoint(
        "The style sheet that gives the page for people the shades of the organization's colour; empty without a colour.",
        parameters: [.ifNoneMatch],
        answer: .init(mediaType: "text/css", schema: ["type": "string"], others: [304])
    ) { call in
        let tokens = try call.branding().color.map { BrandShades(of: $0).tokens } ?? ""
        return .now(call.unlessKnown(Array(tokens.utf8), type: "text/css; charset=utf-8"))
    }

    static let logo = Endpoint(
        "The logo of the organization: a PNG, JPEG or WebP.", parameters: [.ifNoneMatch],
        answer: .init(mediaType: "image/*", schema: ["type": "string", "format": "binary"], others: [304, 404])
    ) { call in
        guard let logo = try call.branding().logo else {
            throw RequestError(.notFound, "The organization has no logo. An administrator sets one.")
        }
        return .now(
            call.unlessKnown(
                logo.bytes, type: logo.mediaType, ["Content-Security-Policy": "default-src 'none'; sandbox"]))
    }

    static let set = Endpoint(
        "Set the 'name', the 'color' (#rrggbb) and the 'logo' (a PNG, JPEG or WebP of at most 64 KiB, in base64) of the organization. "
            + "What is left out stays; null takes it away.",
        body: .object, answer: .init(schema: schema)
    ) { call in
        let new = SetBranding(JSONDocument(try call.json()))
        return .later {
            _ = try await call.administration.run(new)
            return .json(document(call.oauth.settings.current.branding))
        }
    }

    private static let schema: JSONValue = [
        "type": "object", "required": ["name", "color", "logo", "shades"],
        "properties": [
            "name": ["type": ["string", "null"]], "color": ["type": ["string", "null"]],
            "logo": ["type": ["string", "null"]], "shades": ["type": ["object", "null"]],
        ],
    ]

    private static func document(_ branding: Branding) -> JSONValue {
        func colors(_ scheme: BrandShades.Scheme) -> JSONValue {
            [
                "accent": .string(scheme.accent.text), "ink": .string(scheme.ink.text),
                "mark": .string(scheme.mark.text),
            ]
        }
        let shades = branding.color.map { BrandShades(of: $0) }
        var document = branding.json
        document["shades"] = shades.map { ["light": colors($0.light), "dark": colors($0.dark)] } ?? .null
        return document
    }
}

extension Call {
    /// What the service shows of the organization, with the colour that a request names.
    fileprivate func branding() throws -> Branding {
        var branding = oauth.settings.current.branding
        if let text = try parameter("color") {
            guard let color = Branding.Color(text) else {
                throw RequestError(.badRequest, "The parameter 'color' takes six digits after #, such as #1f5fbf.")
            }
            branding.color = color
        }
        return branding
    }

    /// A response that a client may keep and asks about each time, and that is not sent to a client who has it.
    fileprivate func unlessKnown(_ bytes: [UInt8], type: String, _ others: HTTPHeaders = [:]) -> HTTPResponse {
        // The tag only has to change with the bytes, so that it needs no cryptographic hash.
        let tag = "\"\(String(FNV1a(bytes).value, radix: 16))\""
        var headers = others
        headers.add("ETag", tag)
        headers.add("Cache-Control", "no-cache")
        let isKnown = request.headers["If-None-Match"].map { field in EntityTag.list(field) { $0 == tag } } ?? false
        if isKnown { return HTTPResponse(304, headers: headers) }
        headers.add("Content-Type", type)
        return HTTPResponse(200, headers: headers, body: .bytes(bytes))
    }
}
