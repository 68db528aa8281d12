import Foundation
import RosterClient
import RosterMobileSDK
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Settings in a URL")
struct ConfigurationURLTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test("The older form gives a server")
    func older() throws {
        let configuration = try ConfigurationURL(
            url(
                "dmv://xyz/?oamconfig=true&host=ID.example.com&port=8443&servicedomain=Field%20work&SSL=TRUE&appname=Mail"
            ))
        let server = try #require(configuration.server)
        #expect(server.url.absoluteString == "https://id.example.com:8443" && server.url.port == 8_443)
        #expect(server.serviceDomain == "Field work" && server.applicationName == "Mail" && server.isSecure)
        #expect(configuration.properties["host"] == "ID.example.com")
    }

    @Test("The newer form gives all properties, decoded exactly, and a server if one is named")
    func newer() throws {
        let configuration = try ConfigurationURL(
            url("app://?ApplicationName::=a%3A%3A%3Db%26c&Empty::=&Sum::=1+1=2&U::=%C3%A4"))
        #expect(configuration.properties == ["ApplicationName": "a::=b&c", "Empty": "", "Sum": "1+1=2", "U": "ä"])
        #expect(configuration.server == nil)
        let named = try ConfigurationURL(
            url("app:?OM_PROP_OAMMS_HOST::=10.0.0.1&OM_PROP_OAMMS_PORT::=80&OM_PROP_OAMMS_PORT_IS_SSL::=true"))
        #expect(named.server?.url.absoluteString == "https://10.0.0.1:80")
        #expect(try ConfigurationURL(url("app://x?host::=%5B::1%5D")).server?.url.absoluteString == "https://[::1]")
        #expect(try ConfigurationURL(url("app://x?host::=fe80::1")).server?.url.host() != nil)
    }

    @Test("A server without TLS is refused unless the app allows that")
    func unencrypted() throws {
        for text in ["a://b?oamconfig=true&host=h&port=80&servicedomain=d&SSL=FALSE", "a://b?host::=h&SSL::=false"] {
            #expect(clientCode { _ = try ConfigurationURL(url(text)) } == .insecureServer)
            #expect(try ConfigurationURL(url(text), allowsUnencrypted: true).server?.url.absoluteString == "http://h")
        }
    }

    @Test(
        "Other URLs are no settings",
        arguments: ["a://b", "a://b?x=y", "a://b?oamsso=true", "https://a.b/?oamconfig=false"])
    func others(text: String) throws {
        #expect(try !ConfigurationURL.isConfiguration(url(text)))
        #expect(clientCode { _ = try ConfigurationURL(url(text)) } == .badURL)
        #expect(try ConfigurationURL.isConfiguration(url("a://b?oamconfig=true&host=")))
        #expect(try ConfigurationURL.isConfiguration(url("a://b?p::=v")))
    }

    @Test(
        "Hosts about which programs disagree are refused",
        arguments: [
            "", "a..b", ".a", "a.", "-a.b", "a-.b", "a%20b", "a%2Fb", "a%40b", "a%3A80", "a%5Cb", "a%23b", "%C3%A4.b",
            "127.1",
            "0x7f000001", "010.0.0.1", "2130706433", "1.2.3.4.5", "256.1.1.1", "a.1", "%5B::1", "::1%5D", "%5B::g%5D",
            "%5B::1%25eth0%5D", "a%00b", "a%0Ab", String(repeating: "a", count: 64),
            String(repeating: "a.", count: 126) + "aa",
        ])
    func hosts(host: String) throws {
        let text = "a://b?oamconfig=true&host=\(host)&port=443&servicedomain=d&SSL=TRUE"
        #expect(clientCode { _ = try ConfigurationURL(url(text)) } == .badURL)
    }

    @Test(
        "Ports that are no ports are refused",
        arguments: ["", "0", "65536", "-1", "+1", "1e3", "0x50", "080", "99999999999999999999", "%D9%A1", "8%200"])
    func ports(port: String) throws {
        let text = "a://b?oamconfig=true&host=h&port=\(port)&servicedomain=d&SSL=TRUE"
        #expect(clientCode { _ = try ConfigurationURL(url(text)) } == .badURL)
    }

    @Test("Missing, repeated and malformed parameters are refused")
    func malformed() throws {
        let whole = "a://b?oamconfig=true&host=h&port=1&servicedomain=d&SSL=TRUE"
        _ = try ConfigurationURL(url(whole))
        for part in ["&host=h", "&port=1", "&servicedomain=d", "&SSL=TRUE"] {
            #expect(clientCode { _ = try ConfigurationURL(url(whole.replacing(part, with: ""))) } == .badURL, "\(part)")
        }
        for end in ["&host=i", "&SSL=FALSE", "&x", "&=x", "&x=%C3", "&x=%FF", "#f", "&x=%07"] {
            #expect(clientCode { _ = try ConfigurationURL(url(whole + end)) } == .badURL, "\(end)")
        }
        #expect(clientCode { _ = try ConfigurationURL(url(whole.replacing("SSL=TRUE", with: "SSL=YES"))) } == .badURL)
        let many = (0..<70).map { "p\($0)::=v" }.joined(separator: "&")
        #expect(clientCode { _ = try ConfigurationURL(url("a://b?" + many)) } == .badURL)
        let long = String(repeating: "v", count: 9_000)
        #expect(clientCode { _ = try ConfigurationURL(url("a://b?p::=" + long)) } == .badURL)
        let domain = String(repeating: "d", count: 129)
        #expect(clientCode { _ = try ConfigurationURL(url("a://b?host::=h&servicedomain::=" + domain)) } == .badURL)
    }
}
