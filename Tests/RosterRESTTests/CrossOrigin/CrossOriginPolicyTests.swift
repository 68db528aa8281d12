import Roster
import RosterREST
import Testing

@Suite("Pages of other sites may call only where Security_AllowOrigin says so")
struct CrossOriginPolicyTests {
    @Test("disallow allows nobody")
    func disallow() throws {
        for policy in [
            CrossOriginPolicy.disallow, try CrossOriginPolicy("disallow"), try CrossOriginPolicy(" Disallow "),
        ] {
            #expect(policy.allowsNothing)
            for origin in ["https://example.com", "null", "", "disallow", "*"] {
                #expect(!policy.allows(origin: origin))
            }
        }
    }

    @Test(
        "The patterns match what the reference says, and nothing else",
        arguments: [
            // The reference's own.
            ("http://www.example.com", "http://www.example.com", true),
            ("http://www.example.com", "http://www.example.com:80", true),
            ("http://www.example.com", "http://www.example.com:8080", false),
            ("https://*.example.com:8080", "https://example.example.com:8080", true),
            ("https://*.example.com:*", "https://example.example.com:8080", true),
            ("https://ex*.example.com:*", "https://example.example.com:8080", true),
            ("https://*.example.com*", "https://example.example.com:8080", false),
            ("https://example*.oracle.com:*", "https://example.example.com:8080", false),
            ("https://*.example.com:*", "https://a.example.com:8080", true),
            // Ports.
            ("http://www.example.com:80", "http://www.example.com", true),
            ("https://a.example:443", "https://a.example", true), ("https://a.example", "https://a.example:443", true),
            ("https://a.example", "https://a.example:80", false), ("https://a.example:80", "https://a.example", false),
            ("http://a.example:443", "http://a.example", false), ("https://a.example:*", "https://a.example", true),
            ("https://a.example:80*", "https://a.example:8080", true),
            ("https://a.example:80*", "https://a.example:9080", false),
            ("http://localhost:3000", "http://localhost:3000", true),
            ("http://localhost:3000", "http://localhost:3001", false),
            // Schemes and hosts.
            ("https://a.example", "http://a.example", false), ("http://a.example", "https://a.example", false),
            ("HTTPS://A.Example", "https://a.example", true), ("https://a.example", "HTTPS://A.EXAMPLE", true),
            ("https://a.example", "https://a.example.evil", false), ("https://a.example", "https://xa.example", false),
            ("https://*.example.com", "https://example.com", false),
            ("https://*.example.com", "https://a.b.example.com", false),
            ("https://*.*.example.com", "https://a.b.example.com", true),
            ("https://*.example.com", "https://badexample.com", false),
            ("https://*.example.com", "https://.example.com", false),
            ("https://*.example.com", "https://a.example.com.", false),
            ("https://*.example.com", "https://evil.com/.example.com", false),
            ("https://*.example.com", "https://evil.com:1.example.com", false),
            ("https://*.example.com*", "https://a.example.com", false),
            ("https://*.example.com*", "https://a.example.community", false),
            ("https://example.com*", "https://example.com.evil.org", false),
            ("https://a*z.example.com", "https://abcz.example.com", true),
            ("https://a*z.example.com", "https://az.example.com", true),
            ("https://*", "https://localhost", true), ("https://*", "https://a.example", false),
            ("http://192.168.1.*", "http://192.168.1.7", true), ("http://192.168.1.*", "http://192.168.2.7", false),
            ("http://[::1]:3000", "http://[::1]:3000", true), ("http://[::1]", "http://[::1]:80", true),
            ("http://[::1]", "http://[::2]", false), ("http://*:3000", "http://[::1]:3000", false),
            ("http://[FE80::1]", "http://[fe80::1]", true),
            ("capacitor://localhost", "capacitor://localhost", true), ("app://a", "app://a:80", false),
            ("app://a:*", "app://a", false), ("chrome-extension://abcdef", "chrome-extension://abcdef", true),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example", true),
            ("https://bücher.example", "https://xn--bcher-kva.example", false),
            ("https://bücher.example", "https://bücher.example", true),
        ] as [(String, String, Bool)])
    func vectors(pattern: String, origin: String, matches: Bool) throws {
        #expect(try CrossOriginPolicy(pattern).allows(origin: origin) == matches)
    }

    @Test("One pattern of the list is enough")
    func list() throws {
        let policy = try CrossOriginPolicy("https://myexample.com, https://*.example.com,https://*.example2.com")
        for origin in ["https://myexample.com", "https://a.example.com", "https://b.example2.com"] {
            #expect(policy.allows(origin: origin))
        }
        #expect(!policy.allowsNothing && !policy.allows(origin: "https://example2.com"))
    }

    @Test(
        "What is no single origin never matches, however open the patterns are",
        arguments: [
            "null", "NULL", "", "*", "https://", "https://a.example/", "https://a.example/x", "https://a.example?x",
            "https://a.example#x", "https://user@a.example", "https://user:word@a.example", "https://a.example:",
            "https://a.example:0443", "https://a.example:99999", "https://a.example:-1", "https://a.example:+443",
            "https://a.example:443:443", "https://a.example https://b.example", "https://a.example,https://b.example",
            " https://a.example", "https://a.example ", "https://a.example\n", "https://a\0.example", "https:a.example",
            "//a.example", "a.example", "https://a..example", "https://*.example", "https://a.example:*",
            "https://a%2eexample", "https://a.example\\x", "https://[::1", "https://[::1]x", "https://[]",
            "https://[*]",
            "https://a\u{3002}example", "1https://a.example", "://a.example", "https://https://a.example", "file://",
        ])
    func notOrigins(origin: String) throws {
        let policy = try CrossOriginPolicy("https://*.*, https://*, https://*.*:*, https://*:*, https://a.example:*")
        #expect(policy.allows(origin: "https://a.example"))
        #expect(!policy.allows(origin: origin))
    }

    @Test("A very long origin is refused without much ado")
    func long() throws {
        let policy = try CrossOriginPolicy("https://*.example")
        #expect(!policy.allows(origin: "https://" + String(repeating: "a", count: 2_000_000) + ".example"))
    }

    @Test(
        "A wrong pattern is refused by its name",
        arguments: [
            "*", "null", "example.com", "https://", "https://a.example/", "https://a.example/path",
            "https://user@a.example", "https://a.example:", "https://a.example:x", "https://a.example:70000",
            "*://a.example",
            "http*://a.example", "https://a..example", "https://a example", "https://a.example?x", "https://[*]", "",
            "//a.example", "https://a.example:*:1",
        ])
    func wrongPatterns(pattern: String) {
        for text in [pattern, "https://good.example, \(pattern)"] {
            do {
                _ = try CrossOriginPolicy(text)
                Issue.record("\(text) was taken")
            } catch let error as DirectoryError {
                #expect(error.code == .invalidInput && error.advice != nil)
                #expect(error.message.contains("the pattern \"\(pattern.replacing("/", with: "/"))\""), "\(error)")
            } catch {
                Issue.record(error)
            }
        }
        #expect(throws: DirectoryError.self) { try CrossOriginPolicy("disallow, https://a.example") }
        #expect(throws: DirectoryError.self) { try CrossOriginPolicy("https://a.example,") }
    }
}
