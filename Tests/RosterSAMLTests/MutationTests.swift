import Foundation
import RosterSAML
import Testing
import TestSupport

@Suite("A signed document that was changed is refused, or still says the same")
struct MutationTests {
    /// Pieces of markup that attacks are made of.
    static let pieces: [String] = [
        "<!---->", "<![CDATA[", "]]>", "<?x?>", "<!DOCTYPE x>", "&amp;", "&#65;", "&x;", "/>", "</", "<", ">", "\"",
        "'", " ", "\0",
        "<saml:NameID>admin</saml:NameID>", "<saml:Assertion ", "</saml:Assertion>", "ID=\"_a1b2c3\"",
        " xmlns:saml=\"urn:x\"",
        " xmlns=\"urn:oasis:names:tc:SAML:2.0:assertion\"", "<ds:Object>", "</ds:Object>", "admin", "\u{FEFF}",
        "\u{E9}",
    ]

    @Test("No change of bytes, of markup or of places makes it say anything else")
    func mutations() throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        let reader = SAMLAssertionReader(trust: try Sample.trust())
        let originals = try [
            Sample().signed(), Sample.response(around: Sample().signed()),
            TestSigner.sign(
                Sample.response(around: Sample().xml, signature: Sample.template(for: "_r1")),
                with: .provider(TestProvider.rsa.get())),
        ].map { Array($0.utf8) }
        let expected = try reader.read(Data(originals[0]).base64EncodedString(), now: Sample.now)
        var accepted = 0
        for round in 0..<3_000 {
            var bytes = originals[round % originals.count]
            for _ in 0...Int.random(in: 0...2, using: &numbers) { Self.mutate(&bytes, &numbers) }
            let text = Data(bytes).base64EncodedString()
            guard let assertion = try? reader.read(text, now: Sample.now) else { continue }
            accepted += 1
            #expect(assertion == expected, "seed \(seed), round \(round)")
        }
        #expect(accepted < 1_500, "most changes show; seed \(seed)")
    }

    @Test("However a forged assertion, the signed one and its signature are put into each other, nothing is forged")
    func places() throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        let good = try Sample().signed()
        let start = try #require(good.range(of: "<ds:Signature "))
        let end = try #require(good.range(of: "</ds:Signature>"))
        let signature = String(good[start.lowerBound..<end.upperBound])
        var evil = Sample()
        evil.nameID = "<saml:NameID>admin</saml:NameID>"
        evil.signature = nil
        var accepted = 0
        for round in 0..<3_000 {
            evil.id = Bool.random(using: &numbers) ? "_a1b2c3" : "_evil"
            var document =
                [evil.xml, good, Sample.response(around: ""), signature].randomElement(using: &numbers) ?? ""
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let bare = good.replacingOccurrences(of: signature, with: "")
                let parts = [
                    evil.xml, good, bare, signature,
                    "<ds:Object xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"></ds:Object>",
                    "<saml:Advice \(Sample.names)></saml:Advice>", Sample.response(around: good),
                ]
                let tags = document.ranges(of: #/<[^>]*>/#)
                guard let tag = tags.randomElement(using: &numbers) else { break }
                document.insert(contentsOf: parts.randomElement(using: &numbers) ?? "", at: tag.upperBound)
            }
            guard let assertion = try? Sample.read(document) else { continue }
            accepted += 1
            #expect(assertion.subject?.name == "ada", "seed \(seed), round \(round)")
        }
        #expect(accepted > 0, "some of it is only a response around the signed one; seed \(seed)")
    }

    private static func mutate(_ bytes: inout [UInt8], _ numbers: inout SeededNumbers) {
        let place = Int.random(in: 0..<bytes.count, using: &numbers)
        let end = min(bytes.count, place + Int.random(in: 1...60, using: &numbers))
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0..<bytes.count, using: &numbers))
        case 4: bytes.insert(contentsOf: Array((pieces.randomElement(using: &numbers) ?? "").utf8), at: place)
        default: swapElements(&bytes, &numbers)
        }
    }

    /// Exchanges two pieces of text between marks.
    private static func swapElements(_ bytes: inout [UInt8], _ numbers: inout SeededNumbers) {
        var parts = bytes.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
        let (first, second) = (
            Int.random(in: 0..<parts.count, using: &numbers), Int.random(in: 0..<parts.count, using: &numbers)
        )
        parts.swapAt(first, second)
        bytes = Array(parts.joined(separator: [UInt8(ascii: "<")]))
    }
}
