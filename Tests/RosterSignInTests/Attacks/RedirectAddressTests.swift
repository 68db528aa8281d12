import Foundation
import RosterSignIn
import Testing
import TestSupport

@Suite("Addresses that browsers are sent back to")
struct RedirectAddressTests {
    @Test("Only the port of a loopback address may be another one, and it is a number")
    func loopback() {
        for (registered, others) in [
            (
                "http://127.0.0.1/cb",
                ["http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb", "http://127.0.0.1:8080/cb"]
            ),
            ("http://127.0.0.1:5000/cb?a=b", ["http://127.0.0.1/cb?a=b", "http://127.0.0.1:6000/cb?a=b"]),
            ("http://[::1]/cb", ["http://[::1]:8080/cb"]),
            (
                "http://localhost:5000/cb",
                ["http://localhost:5001/cb", "http://localhost/cb", "http://localhost:65535/cb"]
            ),
        ] { for other in others { #expect(RedirectURI.matches(other, [registered]), "\(other)") } }
        for (registered, others) in [
            (
                "http://127.0.0.1:5000/cb",
                [
                    "https://127.0.0.1:5000/cb", "http://127.0.0.2:5000/cb", "http://127.1:5000/cb",
                    "http://2130706433:5000/cb", "http://0x7f.0.0.1:5000/cb", "http://127.0.0.1.:5000/cb",
                    "http://localhost:5000/cb", "http://[::1]:5000/cb", "http://[::ffff:127.0.0.1]:5000/cb",
                    "http://127.0.0.1:5000@evil.example/cb", "http://127.0.0.1:@evil.example/cb",
                    "http://a:b@127.0.0.1:5000/cb", "http://127.0.0.1:5000/cb/..", "http://127.0.0.1:5000//cb",
                    "http://127.0.0.1:5000/CB", "http://127.0.0.1:5000/%63b", "http://127.0.0.1:5000/cb?",
                    "http://127.0.0.1:5000/cb#", "http://127.0.0.1:5000/cb;x", "HTTP://127.0.0.1:5000/cb",
                    "http://127.0.0.1:5000\\@evil.example/cb", "http://127.0.0.1:5000.evil.example/cb",
                    "http://127.0.0.1:-1/cb", "http://127.0.0.1:5000x/cb", "http://127.0.0.%31:5000/cb",
                    "http://127.0.0.1:５０００/cb", "http:/127.0.0.1:5000/cb", "http:127.0.0.1:5000/cb",
                    "//127.0.0.1:5000/cb", " http://127.0.0.1:5000/cb",
                ]
            ),
            (
                "http://localhost:5000/cb",
                [
                    "http://127.0.0.1:5000/cb", "http://[::1]:5000/cb", "http://localhost:/cb",
                    "http://localhost.:5000/cb",
                    "http://LOCALHOST:5000/cb", "http://localhost.evil.example:5000/cb",
                    "http://localhost:5000@evil.example/cb",
                    "http://a.localhost:5000/cb", "https://localhost:5000/cb",
                ]
            ),
            ("http://127.0.0.1/cb", ["http://127.0.0.1:/cb", "http://127.0.0.1:0/cb", "http://127.0.0.1:70000/cb"]),
            ("https://a.example.com/cb", ["https://a.example.com:/cb", "https://a.example.com:443/cb"]),
            ("https://127.0.0.1:5000/cb", ["https://127.0.0.1:5001/cb"]),
            ("https://a.example.com:444/cb", ["https://a.example.com:445/cb", "https://a.example.com/cb"]),
            ("com.example.app:/cb", ["com.example.app://cb", "com.example.app:/cb/", "Com.example.app:/cb"]),
        ] { for other in others { #expect(!RedirectURI.matches(other, [registered]), "\(other)") } }
    }

    @Test("Whatever is done to a registered address, it is another one")
    func mutations() {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        let marks: [Unicode.Scalar] = [
            "\u{212A}", "\u{37E}", "\u{1FEF}", "\u{301}", "\u{200D}", "\u{FEFF}", "\u{0}", "\r", "\n", "\t", " ", "\\",
            "/", "?", "#", "@", ":", ".", "%", "*", "\u{FF0E}", "\u{3002}", "a",
        ]
        for registered in ["https://Kiosk.example.com/cb;K`", "com.Kiosk.app:/cb", "https://x.example.com"] {
            for _ in 0..<5_000 {
                var scalars = Array(registered.unicodeScalars)
                let place = Int.random(in: 0..<scalars.count, using: &numbers)
                let mark = marks[Int.random(in: 0..<marks.count, using: &numbers)]
                switch Int.random(in: 0..<3, using: &numbers) {
                case 0: scalars[place] = mark
                case 1: scalars.insert(mark, at: place)
                default: scalars.remove(at: place)
                }
                var text = ""
                text.unicodeScalars.append(contentsOf: scalars)
                guard !text.utf8.elementsEqual(registered.utf8) else { continue }
                #expect(!RedirectURI.matches(text, [registered]), "seed \(seed): \(text)")
            }
        }
    }

    @Test("What no app can answer to, or is no whole address, is not registered")
    func registration() {
        for text in [
            "", "/cb", "cb", "//a.example.com/cb", "http://a.example.com/cb", "https://", "https:///cb", "https:a",
            "https://a.example.com/cb#x", "https://*.example.com/cb", "https://a@b.example.com/cb",
            "https://a.example.com\\@b/cb", "https://a.example.com/c b", "https://a.example.com/\u{212A}",
            "javascript:alert(1)", "JavaScript:alert(1)", "java\u{9}script:alert(1)", "data:text/html,x",
            "vbscript:x", "file:///etc/passwd", "about:blank", "blob:https://a", "ws://a", "ftp://a/cb",
            "http://127.0.0.1.evil.example/cb", "http://127.0.0.2/cb", "http://[::2]/cb", "http://localhost:/cb",
            "https://a.example.com:/cb", "https://a.example.com:", "http://[::1]:/cb",
            "https://a.example.com/" + String(repeating: "a", count: 3_000),
        ] { #expect(RedirectURI.problem(with: text) != nil, "\(text.prefix(60))") }
        for text in ["https://a.example.com/cb", "http://localhost:1/cb", "http://[::1]/cb", "com.example.app:/cb"] {
            #expect(RedirectURI.problem(with: text) == nil, "\(text)")
        }
    }
}
