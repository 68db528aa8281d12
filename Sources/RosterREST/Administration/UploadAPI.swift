import Foundation
import Roster
import RosterText

/// The endpoints with which administrators send a file in parts, for an import or a seed that is too large for one request.
enum UploadAPI {
    static let begin = Endpoint(
        "Begin to send a file in parts, for an import or a seed. The file ends with its use, or ten minutes after its last part.",
        answer: .created
    ) { call in
        let (view, uploads) = (call.view, call.context.uploads)
        return .later {
            try await check(view)
            let id = try uploads.begin()
            return .json(["upload": .text(id)], status: 201, location: "\(call.context.baseURL)/admin/uploads/\(id)")
        }
    }

    static let write = Endpoint(
        "Send a part of a file, of up to 64 MiB. The answer has the size of the file. The same part may be sent again.",
        parameters: [
            .init(
                name: "at", summary: "Where the part begins, in bytes: at most the size of the file until now.",
                schema: ["type": "integer", "minimum": 0], isRequired: true)
        ],
        body: .file, largeBodies: { _ in .administer }
    ) { call in
        guard let place = try call.integer("at"), place >= 0 else {
            throw RequestError(.badRequest, "Give the place of the part in 'at', in bytes from 0 on.")
        }
        let (view, uploads) = (call.view, call.context.uploads)
        return .later {
            try await check(view)
            let size = try uploads.write(call.request.body, at: place, to: call.arguments[0])
            return .json(["size": .integer(Int64(size))])
        }
    }

    static let end = Endpoint("Delete a file that was sent in parts, before its use.", answer: .none) { call in
        let (view, uploads) = (call.view, call.context.uploads)
        return .later {
            try await check(view)
            try uploads.end(call.arguments[0])
            return HTTPResponse(204)
        }
    }

    /// The parameter of an endpoint that takes a file.
    static let parameter = Endpoint.Parameter(
        name: "upload", summary: "A file that was sent in parts, in place of the body. It can be used once.",
        schema: ["type": "string"])

    /// The file of a request: the upload that it names, or else its body.
    static func file(_ call: Call) throws -> Data {
        guard let id = try call.parameter("upload") else { return Data(call.request.body) }
        guard call.request.body.isEmpty else {
            throw RequestError(.badRequest, "'upload' is for a request without a body.")
        }
        return try call.context.uploads.take(id)
    }

    private static func check(_ view: DirectoryView) async throws {
        try await view.awaitRead { _ = try $0.asPresentAdministrator(to: "send files") }
    }
}
