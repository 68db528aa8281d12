package import Foundation
import Roster
import RosterCrypto
import RosterText

/// The photo of a user as a picture that browsers can show.
package struct Picture: Sendable {
    package let bytes: [UInt8]
    package let mediaType: String

    /// - Returns: nil if the bytes are not a JPEG, PNG, GIF or WebP. The bytes are a user's own choice, so that no other type is ever
    ///   sent to a browser.
    package init?(_ photo: Data) {
        guard let type = Self.mediaType(of: Array(photo.prefix(16))) else { return nil }
        (bytes, mediaType) = (Array(photo), type)
    }

    private static func mediaType(of beginning: [UInt8]) -> String? {
        if beginning.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if beginning.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A]) { return "image/png" }
        if beginning.starts(with: Array("GIF8".utf8)) { return "image/gif" }
        if beginning.starts(with: Array("RIFF".utf8)), beginning.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return "image/webp"
        }
        return nil
    }
}

/// The claim `picture`: a signed address, which apps load as an image without a token. Nobody can guess the address, and it ends
/// with the photo, or after a day.
extension UserClaims {
    private static let pictureLifetime: TimeInterval = 86_400
    private static let tagLength = 16

    /// The address of a user's photo; nil for a user without one, and if not even the user may read it.
    func pictureAddress(of user: UserID) throws -> String? {
        guard let picture = try readablePicture(of: user) else { return nil }
        let end = Int64((clock() + Self.pictureLifetime).timeIntervalSince1970)
        let content = Self.bytes(user.rawValue) + Self.bytes(end)
        return issuer + "/oauth2/picture/" + Base64URL.text(content + (try tag(content, picture)))
    }

    /// The photo of an address that was signed here; nil for other texts, after the day, and once the photo is another one.
    package func picture(_ text: String) throws -> Picture? {
        guard text.utf8.count <= 64, let bytes = Base64URL.bytes(text), bytes.count == 16 + Self.tagLength else {
            return nil
        }
        let content = Array(bytes[..<16])
        let user = UserID(rawValue: Self.number(content[..<8]))
        let left = TimeInterval(Self.number(content[8...])) - clock().timeIntervalSince1970
        guard 0 < left, left <= Self.pictureLifetime + SpentTokens.clockTolerance,
            try Person(.user(user), in: directory) != nil, let picture = try readablePicture(of: user),
            constantTimeEqual(try tag(content, picture), Array(bytes[16...]))
        else { return nil }
        return picture
    }

    private func readablePicture(of user: UserID) throws -> Picture? {
        try directory.acting(as: .administrator("sign-in")).read { session in
            guard let readers = session.vocabulary.definition(of: "photo")?.readers, readers >= .person else {
                return nil
            }
            do {
                return try session.users.user(.id(user), ["photo"]).photo.flatMap { Picture($0) }
            } catch let error as DirectoryError where error.code == .notFound {
                return nil
            }
        }
    }

    /// The signature of an address for a photo.
    private func tag(_ content: [UInt8], _ picture: Picture) throws -> [UInt8] {
        let message = Array("picture\0".utf8) + content + (try SHA256.digest(picture.bytes))
        return Array(try HMACSHA256.code(for: message, key: keys.refreshKey).prefix(Self.tagLength))
    }

    private static func bytes(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
}
