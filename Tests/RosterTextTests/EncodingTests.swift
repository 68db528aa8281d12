import Foundation
import RosterText
import Testing
import TestSupport

@Suite("Encodings of bytes as text")
struct EncodingTests {
    @Test("Base64 is written as Foundation writes it, and read back", arguments: 0..<60)
    func base64(count: Int) {
        var noise = NastyText(seed: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &noise) }
        let text = Data(bytes).base64EncodedString()
        #expect(Base64.text(bytes) == text && Base64.text(Data(bytes)) == text)
        #expect(Base64.bytes(text) == bytes && Base64.bytes(text, padding: .optional) == bytes)
        let bare = text.filter { $0 != "=" }
        #expect(Base64.text(bytes, isPadded: false) == bare)
        #expect(Base64.bytes(bare, padding: .absent) == bytes && Base64.bytes(bare, padding: .optional) == bytes)
        let url = bare.replacing("+", with: "-").replacing("/", with: "_")
        #expect(Base64URL.text(bytes) == url && Base64URL.bytes(url) == bytes)
        if count % 3 != 0 {
            #expect(Base64.bytes(bare) == nil && Base64.bytes(text, padding: .absent) == nil)
            #expect(Base64URL.bytes(text) == nil)
        }
    }

    @Test(
        "Text that is not base64 is refused",
        arguments: [
            "-_9", "A", "AA A", "AAA\n", "Ä", "A===", "AA=A", "====", "=", "QQ=", "QR==", "QUJ", "QUJ=", "QQ==\n",
        ])
    func refusesBase64(text: String) {
        #expect(Base64.bytes(text) == nil && Base64.bytes(text, padding: .optional) == nil)
        #expect(Base64.bytes(text, padding: .absent) == nil && Base64URL.bytes(text) == nil)
    }

    @Test("Base64 and base64url refuse each other's characters")
    func tellsAlphabetsApart() {
        #expect(Base64URL.text([0xFB, 0xFF]) == "-_8" && Base64.text([0xFB, 0xFF]) == "+/8=")
        #expect(Base64URL.bytes("+/8") == nil && Base64.bytes("-_8=") == nil)
    }

    @Test(
        "Text that is percent-encoded has only unreserved characters, and is read back",
        arguments: 1...100 as ClosedRange<UInt64>)
    func percentEncoding(seed: UInt64) {
        var noise = NastyText(seed: seed)
        let text = noise.text() + " +%/é~"
        let encoded = PercentEncoding.text(text)
        #expect(PercentEncoding.bytes(encoded.utf8) == Array(text.utf8))
        #expect(encoded.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "%") })
    }

    @Test("A segment keeps the at sign, and a form's plus sign is a space")
    func variesPercentEncoding() {
        #expect(PercentEncoding.segment("a b@c/Ä") == "a%20b@c%2F%C3%84")
        #expect(PercentEncoding.bytes("a+%2b".utf8) == Array("a++".utf8))
        #expect(PercentEncoding.bytes("a+%2b".utf8, isForm: true) == Array("a +".utf8))
        for text in ["%", "%4", "%4G", "%%41", "a%"] { #expect(PercentEncoding.bytes(text.utf8) == nil, "\(text)") }
    }

    @Test("Hexadecimal text is read in any case")
    func hexadecimal() {
        #expect(Hexadecimal.text([0, 0x0F, 0xA5, 0xFF]) == "000fa5ff")
        #expect(Hexadecimal.bytes("000fA5Ff".utf8) == [0, 0x0F, 0xA5, 0xFF] && Hexadecimal.bytes([]) == [])
        for text in ["0", "0g", "000", " 00", "０0"] { #expect(Hexadecimal.bytes(text.utf8) == nil, "\(text)") }
    }

    @Test("FNV-1a gives the hashes of its authors' examples")
    func fnv1a() {
        #expect(FNV1a([]).text == "cbf29ce484222325")
        #expect(FNV1a("a".utf8).text == "af63dc4c8601ec8c")
        #expect(FNV1a("foobar".utf8).text == "85944171f73967e8")
        var hash = FNV1a("foo".utf8)
        hash.combine("bar".utf8)
        #expect(hash.value == 0x8594_4171_f739_67e8)
    }
}
