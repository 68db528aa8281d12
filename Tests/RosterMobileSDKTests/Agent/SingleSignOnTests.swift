import Foundation
import RosterClient
import RosterMobileSDK
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Single sign-on agent")
struct SingleSignOnTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test("An app's request reaches the agent whole, and the agent's response the app")
    func apps() throws {
        let asked = try SingleSignOnRequest(
            urlScheme: "Mail", serviceDomain: "Field & work", parameters: ["a b": "1+1=2&c", "ü": "%41", "empty": ""])
        let opened = try asked.url(agentScheme: "agent")
        #expect(
            opened.absoluteString.hasPrefix(
                "agent://sso?oamsso=true&serviceDomain=Field%20%26%20work&urlScheme=mail&state="))
        #expect(SingleSignOnRequest.isRequest(opened))
        let received = try SingleSignOnRequest(opened)
        #expect(received == asked)
        #expect(received.requester == .app(urlScheme: "mail"))
        let response = try received.responseURL(["code": "x/y+z==", "é": "\u{1F600}"])
        #expect(response.absoluteString.hasSuffix("&code=x%2Fy%2Bz%3D%3D&%C3%A9=%F0%9F%98%80"))
        #expect(try asked.result(from: response) == ["code": "x/y+z==", "é": "\u{1F600}"])
    }

    @Test(
        "An agent's failure reaches the app as an error with the agent's code and sentence, without control characters")
    func failures() throws {
        let asked = try SingleSignOnRequest(urlScheme: "mail", serviceDomain: "d")
        let state = try #require(asked.state)
        let failure = try asked.responseURL(error: "access_denied", details: "The user said no.")
        for (response, texts) in [
            (failure, ["'access_denied'", "The user said no."]),
            (
                try url("mail://sso?oamssoresponse=true&state=\(state)&error=\(String(repeating: "e", count: 500))"),
                ["eee…'"]
            ),
            (try url("mail://sso?oamssoresponse=true&state=\(state)&error=e%E2%80%AE&code=1"), ["'e\\u{202e}'"]),
        ] {
            do {
                _ = try asked.result(from: response)
                Issue.record("no error")
            } catch let error as ClientError {
                #expect(error.code == .refused)
                for text in texts {
                    #expect(error.message.lowercased().contains(text.lowercased()), "\(error.message)")
                }
            }
        }
    }

    @Test("A response to another request, or of another app, is refused")
    func responses() throws {
        let (first, second) = (
            try SingleSignOnRequest(urlScheme: "mail", serviceDomain: "d"),
            try SingleSignOnRequest(urlScheme: "mail", serviceDomain: "d")
        )
        let response = try first.responseURL(["code": "1"])
        #expect(first.state != second.state)
        #expect(clientCode { _ = try second.result(from: response) } == .badURL)
        for text in [
            "mail://sso?oamssoresponse=true&code=1", "mail://sso?code=1", "mail://sso",
            response.absoluteString.replacing("mail:", with: "male:"), response.absoluteString + "&state=",
        ] {
            #expect(clientCode { _ = try first.result(from: url(text)) } == .badURL, "\(text)")
        }
    }

    @Test("A browser's request, as our server makes it, leads back to a page of the same server")
    func browsers() throws {
        let text = "agent://sso?oamsso=true&serviceDomain=d&serverURL=https%3A%2F%2Fid.example.com&resourceURL="
        let request = try SingleSignOnRequest(url(text + "https%3A%2F%2FID.example.com%3A443%2Fapp%3Fa%3Db"))
        #expect(try request.responseURL(["code": "1"]).absoluteString == "https://ID.example.com:443/app?a=b")
        #expect(clientCode { _ = try request.responseURL(error: "e") } == .invalidInput)
        #expect(clientCode { _ = try request.url(agentScheme: "agent") } == .invalidInput)
        for page in [
            "https://evil.example/", "https://id.example.com.evil.example/", "https://id.example.com@evil.example/",
            "https://id.example.com:444/", "https://id.example.com\\@evil.example/", "javascript:alert(1)",
            "//evil.example/",
            "/app", "https://", "https:///app", "https://id.example.com:/", "ftp://id.example.com/",
            "https://id.example.com:0x1bb/",
        ] {
            let encoded = try #require(page.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            #expect(clientCode { _ = try SingleSignOnRequest(url(text + encoded)) } == .badURL, "\(page)")
        }
        let plain = text.replacing("https", with: "http") + "http%3A%2F%2Fid.example.com%2F"
        #expect(clientCode { _ = try SingleSignOnRequest(url(plain)) } == .insecureServer)
        #expect(try SingleSignOnRequest(url(plain), allowsUnencrypted: true).serviceDomain == "d")
    }

    @Test(
        "A response never goes to a scheme of the web or the system, nor to the agent itself",
        arguments: [
            "http", "HTTPS", "javascript", "data", "file", "tel", "sms", "intent", "itms-services", "agent", "AGENT",
            "", "1a", "a%3A",
            "a%2F", "a%20b", "%C3%A4", "a%0Ab", "-a", String(repeating: "a", count: 65),
        ])
    func schemes(scheme: String) throws {
        let text = "agent://sso?oamsso=true&serviceDomain=d&urlScheme=\(scheme)"
        #expect(clientCode { _ = try SingleSignOnRequest(url(text)) } == .badURL)
    }

    @Test("Requests without a domain, of nobody or of two are refused, and other URLs are no requests")
    func malformed() throws {
        let start = "agent://sso?oamsso=true&serviceDomain=d"
        for text in [
            start, start + "&urlScheme=a&serverURL=https%3A%2F%2Fb", "agent://sso?oamsso=true&urlScheme=a",
            "agent://sso?oamsso=true&serviceDomain=&urlScheme=a", start + "&urlScheme=a&urlScheme=b",
            start + "&urlScheme=a&state=" + String(repeating: "s", count: 513), start + "&urlScheme=a&x=%0D%0A",
            "agent://sso?oamsso=true&urlScheme=a&serviceDomain=" + String(repeating: "d", count: 129),
        ] {
            #expect(try SingleSignOnRequest.isRequest(url(start)))
            #expect(clientCode { _ = try SingleSignOnRequest(url(text)) } == .badURL, "\(text)")
        }
        for text in [
            "agent://sso", "agent://sso?oamsso=false", "agent://sso?oamsso=TRUE", "agent://sso?a=oamsso=true", "x",
        ] {
            #expect(try !SingleSignOnRequest.isRequest(url(text)))
            #expect(clientCode { _ = try SingleSignOnRequest(url(text)) } == .badURL)
        }
    }

    @Test("The app cannot send what the other side would misread")
    func misuse() throws {
        let request = try SingleSignOnRequest(urlScheme: "mail", serviceDomain: "d")
        for result in [
            ["state": "1"], ["error": "1"], ["": "1"], ["a": "\n"], ["a": String(repeating: "ä", count: 1_400)],
        ] {
            #expect(clientCode { _ = try request.responseURL(result) } == .invalidInput)
        }
        #expect(clientCode { _ = try request.responseURL(error: "") } == .invalidInput)
        #expect(clientCode { _ = try request.responseURL(error: "e", details: "\u{1B}[2J") } == .invalidInput)
        for scheme in ["https", "", "a b", "a:"] {
            #expect(clientCode { _ = try SingleSignOnRequest(urlScheme: scheme, serviceDomain: "d") } == .invalidInput)
            #expect(clientCode { _ = try request.url(agentScheme: scheme) } == .invalidInput)
        }
        #expect(clientCode { _ = try SingleSignOnRequest(urlScheme: "a", serviceDomain: "") } == .invalidInput)
    }

    @Test("Random changes of a request never trap")
    func noise() throws {
        var numbers = SeededNumbers(seed: randomSeed())
        let texts = [
            try SingleSignOnRequest(urlScheme: "mail", serviceDomain: "d", parameters: ["a": "ü"]).url(
                agentScheme: "agent"
            )
            .absoluteString,
            "a://b?oamconfig=true&host=h&port=1&servicedomain=d&SSL=TRUE", "a://b?host::=h&p::=%C3%A4",
            "agent://sso?oamsso=true&serviceDomain=d&serverURL=https%3A%2F%2Fid.example.com%3A443",
        ]
        for _ in 0..<3_000 {
            var text = texts[Int.random(in: 0..<texts.count, using: &numbers)]
            for _ in 0..<3 { text = numbers.alteration(of: text, by: 0x21...0x7E) }
            guard let url = URL(string: text) else { continue }
            _ = try? SingleSignOnRequest(url)
            _ = try? ConfigurationURL(url)
            _ = (SingleSignOnRequest.isRequest(url), ConfigurationURL.isConfiguration(url))
        }
    }
}
