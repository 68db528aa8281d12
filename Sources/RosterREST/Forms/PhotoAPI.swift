import Roster
import RosterSignIn
import RosterText

/// The photo of a user, as a picture that a page can show.
enum PhotoAPI {
    static let read = Endpoint(
        "The photo of a user; 204 if there is none, or if it is not a JPEG, PNG, GIF or WebP.",
        parameters: [.ifNoneMatch],
        answer: .init(mediaType: "image/*", schema: ["type": "string", "format": "binary"], others: [204, 304])
    ) { call in
        try call.lookingUp { transaction in
            let user = try transaction.users.user(FormsAPI.reference(call), ["photo", "version"])
            guard let photo = user.photo.flatMap({ Picture($0) }) else { return HTTPResponse(204) }
            if call.request.has(user.version) { return .notModified(user.version) }
            return HTTPResponse(
                200,
                headers: [
                    "Content-Type": photo.mediaType, "ETag": EntityTag.text(user.version),
                    "Cache-Control": "private, no-cache",
                    "Content-Security-Policy": "default-src 'none'; sandbox",
                ], body: .bytes(photo.bytes))
        }
    }
}
