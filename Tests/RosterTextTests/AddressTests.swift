import RosterText
import Testing

@Suite("Hosts of this machine, and parameters of addresses")
struct AddressTests {
    @Test(
        "This machine has a name and a whole block of addresses",
        arguments: [
            "localhost", "LocalHost", "127.0.0.1", "127.0.0.2", "127.255.255.255", "::1", "[::1]",
        ])
    func own(host: String) {
        #expect(Loopback.contains(host) && Loopback.contains(hostOf: "http://\(host == "::1" ? "[::1]" : host):80/a"))
    }

    @Test(
        "A host that only looks like this machine's is another one",
        arguments: [
            "", "127", "127.1", "127.0.0", "127.0.0.1.", "127.0.0.1.example.com", "127.example.com", "127.0.0.256",
            "127.+0.0.1", "127..0.1", "127.0.0.0001", "0x7f.0.0.1", "128.0.0.1", "10.127.0.0", "::2", "[::1",
            "localhost.example.com", "127.0.0.1:80", "１27.0.0.1",
        ])
    func foreign(host: String) {
        #expect(!Loopback.contains(host))
    }

    @Test("The host of a URL is what counts, not a user name in the URL")
    func urls() {
        #expect(!Loopback.contains(hostOf: "http://127.0.0.1@example.com/"))
        #expect(!Loopback.contains(hostOf: "http://localhost.example.com/"))
        #expect(!Loopback.contains(hostOf: "localhost") && !Loopback.contains(hostOf: ""))
    }

    @Test("Parameters are read as they were written")
    func roundTrip() throws {
        let parameters = [("a b", "c+d"), ("ü", "&=%"), ("", ""), ("x", "y")]
        let text = FormEncoding.text(parameters.map { (name: $0.0, value: $0.1) })
        #expect(text == "a%20b=c%2Bd&%C3%BC=%26%3D%25&=&x=y")
        let read = try #require(FormEncoding.parameters(text))
        #expect(read.map(\.name) == parameters.map(\.0) && read.map(\.value) == parameters.map(\.1))
    }

    @Test("A plus sign, a missing value, empty parts and another separator are read as asked; broken encoding is not")
    func reading() throws {
        let plain = try #require(FormEncoding.parameters("a+b=c+d&&e&f=g=h"))
        #expect(plain.map(\.name) == ["a b", "e", "f"] && plain.map(\.value) == ["c d", nil, "g=h"])
        let own = try #require(FormEncoding.parameters("a::=b+c&d=e", separator: "::=", isPlusSpace: false))
        #expect(own.map(\.name) == ["a", "d=e"] && own.map(\.value) == ["b+c", nil])
        // To Swift, a separator with a combining mark is another character.
        let marked = try #require(FormEncoding.parameters("a=\u{301}b&\u{301}c=d"))
        #expect(marked.map(\.name) == ["a", "\u{301}c"])
        for broken in ["a=%", "a=%G0", "%C3=b", "a=%C3%28"] {
            #expect(FormEncoding.parameters(broken) == nil, "\(broken)")
        }
    }
}
