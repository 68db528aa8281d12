import Foundation
import RosterSAML
import Testing

@Suite("A credential is base64, of XML or of gzip")
struct CredentialTextTests {
    let xml: [UInt8]
    let reader: SAMLAssertionReader

    init() throws {
        xml = Array(try Sample().signed().utf8)
        reader = SAMLAssertionReader(trust: try Sample.trust())
    }

    func problem(_ text: String) -> SAMLProblem? {
        do {
            _ = try reader.read(text, now: Sample.now)
            return nil
        } catch { return error }
    }

    @Test("Both alphabets, padding or none, line breaks, and gzip are taken")
    func forms() throws {
        for data in [Data(xml), try Credential.gzip(xml), Data(xml + [0x20]), Data(xml + [0x20, 0x20])] {
            let text = data.base64EncodedString()
            let url = text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            let wrapped = data.base64EncodedString(options: [.lineLength76Characters])
            for form in [
                text, url, text.replacingOccurrences(of: "=", with: ""), url.replacingOccurrences(of: "=", with: ""),
                wrapped, " \t" + text + "\r\n",
            ] { #expect(problem(form) == nil) }
        }
    }

    @Test("Other characters, padding in the wrong place, and text that was cut off are refused")
    func damaged() throws {
        let text = Data(xml).base64EncodedString()
        for bad in [
            "!" + text, text + "=", text + "===", "=" + text, "AA=A", "A", "AB", "A===", "====", "é", "<x/>",
            text + "\0",
        ] {
            #expect(problem(bad) == .notBase64, "\(bad.prefix(20))")
        }
        for empty in ["", " \n"] { #expect(problem(empty) == .noText) }
        let compressed = try Credential.gzip(xml).base64EncodedString()
        for text in [text, compressed].map({ $0.replacingOccurrences(of: "=", with: "") }) {
            for count in stride(from: 1, to: 40, by: 1) {
                #expect(problem(String(text.dropLast(count))) != nil, "\(count)")
            }
        }
    }

    @Test("gzip that is cut off, changed, followed by something or twice in one another is refused")
    func compression() throws {
        let data = try Credential.gzip(xml)
        for bad in [data.dropLast(1), data.dropLast(20), data + [0], data + data, data.prefix(10), data.prefix(2)] {
            #expect(problem(Data(bad).base64EncodedString()) == .damagedCompression)
        }
        var changed = data
        changed[changed.count - 6] ^= 1
        #expect(problem(changed.base64EncodedString()) == .damagedCompression, "its checksum is wrong")
        let twice = try Credential.gzip(Array(data))
        #expect(problem(twice.base64EncodedString())?.step == .xml)
    }

    @Test("What would inflate to more than 1 MiB is refused before it does")
    func bombs() async throws {
        // In a process of its own, whose memory no other test uses.
        await #expect(processExitsWith: .success) {
            let tests = try CredentialTextTests()
            let bomb = try Credential.gzip([UInt8](repeating: 0x20, count: 200_000_000))
            #expect(bomb.count < 256 * 1_024)
            let text = bomb.base64EncodedString()
            _ = tests.problem(text)
            let grown = try Credential.memoryGrowth {
                #expect(tests.problem(text) == .tooLarge(maximumBytes: 1_048_576))
            }
            #expect(grown < 10_000_000, "\(grown) bytes")
        }
        let most = try Credential.gzip([UInt8](repeating: 0x20, count: 1_048_576))
        #expect(problem(most.base64EncodedString()) == .malformed(line: 1, code: 4), "1 MiB is read")
        let more = try Credential.gzip([UInt8](repeating: 0x20, count: 1_048_577))
        #expect(problem(more.base64EncodedString()) == .tooLarge(maximumBytes: 1_048_576))
    }

    @Test("Text and bytes have a limit")
    func limits() throws {
        let spaces = String(repeating: " ", count: 384 * 1_024 + 1)
        #expect(problem(spaces) == .textTooLong(maximumBytes: 384 * 1_024))
        let bytes = Data([UInt8](repeating: 0x20, count: 256 * 1_024 + 1))
        #expect(problem(bytes.base64EncodedString()) == .tooLarge(maximumBytes: 256 * 1_024))
        #expect(problem(bytes.dropLast().base64EncodedString())?.step == .xml)
    }
}
