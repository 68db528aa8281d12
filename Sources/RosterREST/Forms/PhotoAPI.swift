import Roster
import RosterText

/// The photo of a user, as a picture that a page can show.
enum PhotoAPI {
    static let read = Endpoint(
        "The photo of a user; 204 if there is none, or if it is no JPEG, PNG, GIF or WebP.", parameters: [.ifNoneMatch],
        answer: .init(mediaType: "image/*", schema: ["type": "string", "format": "binary"], others: [204, 304])
    ) { call in
        try call.lookingUp { transaction in
            let user = try transaction.user(.either(call.arguments[0]), ["photo", "version"])
            guard let photo = user.photo, let type = mediaType(of: photo.prefix(16)) else { return HTTPResponse(204) }
            if call.request.has(user.version) { return .notModified(user.version) }
            return HTTPResponse(
                200,
                headers: [
                    "Content-Type": type, "ETag": EntityTag.text(user.version), "Cache-Control": "private, no-cache",
                    "Content-Security-Policy": "default-src 'none'; sandbox",
                ], body: .bytes(Array(photo)))
        }
    }

    /// The type of a picture by its first bytes. The bytes are a user's own choice, so that no other type is ever sent to a browser.
    private static func mediaType(of beginning: some Collection<UInt8>) -> String? {
        let bytes = Array(beginning)
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A]) { return "image/png" }
        if bytes.starts(with: Array("GIF8".utf8)) { return "image/gif" }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return "image/webp"
        }
        return nil
    }
}
