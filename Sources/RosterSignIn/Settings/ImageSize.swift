/// The type and the size of a picture, read from its header. Nothing is decoded.
struct ImageSize: Sendable {
    let mediaType: String
    let width: Int
    let height: Int

    private init(_ mediaType: String, _ width: Int, _ height: Int) {
        (self.mediaType, self.width, self.height) = (mediaType, width, height)
    }

    /// - Returns: nil if the bytes do not begin as a PNG, JPEG or WebP does.
    init?(_ bytes: [UInt8]) {
        guard let size = Self.png(bytes) ?? Self.jpeg(bytes) ?? Self.webP(bytes) else { return nil }
        self = size
    }

    private static func png(_ bytes: [UInt8]) -> ImageSize? {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        guard bytes.count > 33, bytes.starts(with: signature), bytes[12..<16].elementsEqual("IHDR".utf8) else {
            return nil
        }
        return ImageSize("image/png", big(bytes[16..<20]), big(bytes[20..<24]))
    }

    /// The size is in the frame's header, which follows segments of other kinds.
    private static func jpeg(_ bytes: [UInt8]) -> ImageSize? {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        var index = 2
        while index + 9 < bytes.count, bytes[index] == 0xFF {
            let marker = bytes[index + 1]
            if marker == 0xFF {
                index += 1
                continue
            }
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                return ImageSize("image/jpeg", big(bytes[index + 7..<index + 9]), big(bytes[index + 5..<index + 7]))
            }
            // Before the frame's header, all segments have a length.
            let length = big(bytes[index + 2..<index + 4])
            guard marker > 0xBF, !(0xD0...0xDA).contains(marker), length >= 2 else { return nil }
            index += 2 + length
        }
        return nil
    }

    /// The three forms of WebP (RFC 9649): lossy, lossless, and with an extended header.
    private static func webP(_ bytes: [UInt8]) -> ImageSize? {
        guard bytes.count > 30, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) else {
            return nil
        }
        let form = bytes[12..<16]
        if form.elementsEqual("VP8 ".utf8), bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]) {
            return ImageSize("image/webp", little(bytes[26..<28]) & 0x3FFF, little(bytes[28..<30]) & 0x3FFF)
        }
        if form.elementsEqual("VP8L".utf8), bytes[20] == 0x2F {
            let bits = little(bytes[21..<25])
            return ImageSize("image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        }
        if form.elementsEqual("VP8X".utf8) {
            return ImageSize("image/webp", little(bytes[24..<27]) + 1, little(bytes[27..<30]) + 1)
        }
        return nil
    }

    private static func big(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    private static func little(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
}
