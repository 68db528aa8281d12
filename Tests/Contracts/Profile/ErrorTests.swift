import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Errors of the profile service", .inBothForms)
struct ProfileErrorTests {
    static let root = ServiceUnderTest.basic("root")

    @Test(
        "A body that is no strict JSON object is refused with 400",
        arguments: [
            "", "{", "}", "nonsense", "null", "true", "1", "\"text\"", "[]", "[{\"title\":\"x\"}]",
            "{\"title\":\"x\"}{}",
            "{\"title\":\"x\",}", "{'title':'x'}", "{title:1}", "{\"title\":\"x\",\"title\":\"y\"}",
            "{\"title\":\"x\",\"\\u0074itle\":\"y\"}", "{\"title\":\"\\ud800\"}", "{\"title\":\"\\udc00\\ud800\"}",
            "{\"title\":\"\\x\"}", "{\"title\":\"a\nb\"}", "{\"badge\":1e400}", "{\"badge\":-1e400}", "{\"badge\":01}",
            "{\"badge\":+1}", "{\"badge\":NaN}", "{\"badge\":Infinity}", "{\"badge\":1.}", "{\"badge\":0x10}",
            "{\"badge\":99999999999999999999999}", "{\"title\":\"x\"} //", "\u{FEFF}{\"title\":\"x\"}",
            "{\"title\":\"\\u0000\"}",
        ])
    func brokenJSON(text: String) async throws {
        let service = try await ServiceUnderTest()
        let before = await service.request("GET", "people/tom.evans").body
        for (method, path) in [
            ("PUT", "people/tom.evans"), ("POST", "people"), ("POST", "groups"), ("PUT", "groups/sales"),
            ("POST", "people/tom.evans/manager"), ("POST", "groups/sales/members"),
        ] {
            let answer = await service.send(method, path, Self.root, Array(text.utf8))
            #expect(answer.status == 400 && answer.isProfileError, "\(method) \(path): \(answer.status)")
        }
        #expect(await service.request("GET", "people/tom.evans").body == before)
    }

    @Test(
        "A header field whose comparison would take a second is refused, also where the server lets it pass",
        .inProcess("The server answers such requests before the service sees them."))
    func endlessMarks() async throws {
        let service = try await ServiceUnderTest()
        for (count, status) in [(256, 200), (257, 400)] {
            let answer = await service.request(
                "GET", "people/tom.evans",
                headers: [("If-None-Match", "a" + String(repeating: "\u{301}", count: count))])
            #expect(answer.status == status && (status == 200 || answer.isProfileError))
        }
    }

    @Test("Bytes that are no UTF-8, and nesting without end, are refused")
    func bytes() async throws {
        let service = try await ServiceUnderTest()
        let open = Array("{\"title\":\"".utf8), close = Array("\"}".utf8)
        for bytes in [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x82]]
            as [[UInt8]]
        {
            #expect(await service.send("PUT", "people/tom.evans", Self.root, open + bytes + close).status == 400)
        }
        for (start, end) in [("[", "]"), ("{\"title\":", "}")] {
            for depth in [65, 1_000, 100_000] {
                let text = "{\"title\":" + String(repeating: start, count: depth)
                for tail in ["", "1" + String(repeating: end, count: depth) + "}"] {
                    let answer = await service.send("PUT", "people/tom.evans", Self.root, Array((text + tail).utf8))
                    #expect(answer.status == 400 && answer.isProfileError)
                }
            }
        }
        for bom in [[0xFE, 0xFF], [0xFF, 0xFE]] as [[UInt8]] {
            #expect(await service.send("PUT", "people/tom.evans", Self.root, bom + Array("{}".utf8)).status == 400)
        }
        let long = "{\"description\":\"\(String(repeating: "x", count: 70_000))\"}"
        #expect(await service.send("PUT", "people/tom.evans", Self.root, Array(long.utf8)).status == 400)
    }

    @Test("A body of another type, or of none, is refused with 415")
    func mediaTypes() async throws {
        let service = try await ServiceUnderTest()
        let body = Array("{\"title\":\"x\"}".utf8)
        for type in [
            "text/plain", "application/xml", "application/x-www-form-urlencoded", "", "json", "application/jsonx",
        ] {
            let answer = await service.send(
                "PUT", "people/tom.evans", Self.root, body, headers: [("Content-Type", type)])
            #expect(answer.status == 415 && answer.isProfileError, "\(type)")
        }
        #expect(await service.send("PUT", "people/tom.evans", Self.root).status == 415)
        for type in ["application/json", "APPLICATION/JSON; charset=utf-8", "application/json;charset=\"UTF-8\""] {
            let answer = await service.send(
                "PUT", "people/tom.evans", Self.root, body, headers: [("Content-Type", type)])
            #expect(answer.status == 200, "\(type)")
        }
    }

    @Test(
        "A target that cannot be read is refused, and never means another resource",
        .inProcess("The server answers such requests before the service sees them."))
    func targets() async throws {
        let service = try await ServiceUnderTest()
        let broken = [
            "people/tom.evans%00", "people/%00", "people/tom%0Aevans", "people/%7F", "people/%", "people/%4",
            "people/%zz",
            "people/%C0%AE%C0%AE/groups", "people/%E0%80%AF", "people/%ED%A0%80", "people/%FF",
            "people?searchparam.uid=%",
            "people?searchparam.uid=%FF", "people?%00=1", "people?searchparam.uid=a%00",
        ]
        let nowhere = [
            "people/..", "people/.", "people/%2e%2e", "people/%2E%2e/groups", "people/%2e%2e/groups/sales", "/people",
            "people//tom.evans", "/people/tom.evans", "people/tom.evans//", "people/tom.evans//manager",
            "people/tom.evans/../jack.brown",
            "people/tom.evans;v=1", "people/tom.evans;jsessionid=1/manager", "people;a=b/tom.evans",
            "people/tom.evans/manager;a=1",
            "people/tom.evans%2Fmanager", "people%2Ftom.evans", "people/tom.evans/%6Danager2", "People/tom.evans",
            "people/tom.evans/MANAGER", "people/tom.evans/manager/joerg.muench/x", "people/%252e%252e",
            "people/tom.evans%20",
            "people/%E3%80%80tom.evans", "person/tom.evans", "", "people/tom.evans/members", "groups/sales/reports",
            "people/\\..\\groups", "people/tom.evans\u{200B}",
        ]
        for path in broken {
            let answer = await service.request("GET", "\(ServiceUnderTest.base)/\(path)")
            #expect(answer.status == 400 && answer.isProfileError, "\(path): \(answer.status) \(answer.text)")
        }
        for path in nowhere {
            for method in ["GET", "DELETE", "PUT"] {
                let body: JSONValue? = method == "PUT" ? ["title": "x"] : nil
                let answer = await service.request(method, "\(ServiceUnderTest.base)/\(path)", body)
                // What only reads is known there, under the name of nobody.
                let isFitting = answer.status == 404 || (method != "GET" && answer.status == 405)
                #expect(isFitting && answer.isProfileError, "\(method) \(path): \(answer.status)")
            }
        }
        for target in ["*", "", "http://id.example.com/oic_rest/rest/userprofile/people", "oic_rest", "?x"] {
            let answer = Answer(await service.service.respond(to: HTTPRequest("GET", target)))
            #expect([400, 404].contains(answer.status), "\(target)")
        }
        #expect(await service.request("GET", "people/%74om.evans")["uid"] == "tom.evans")
        #expect(try await service.directory.unrestricted.changes.since(0).last?.name != "tom.evans")
    }

    @Test("A method that a resource does not take is refused with 405 and those that it takes")
    func methods() async throws {
        let service = try await ServiceUnderTest()
        let cases = [
            ("people", "GET, HEAD, POST"), ("people/tom.evans", "DELETE, GET, HEAD, PUT"),
            ("groups/sales/members", "GET, HEAD, POST"), ("groups/sales/members/x", "DELETE, GET, HEAD"),
            ("changes", "GET, HEAD"),
        ]
        for (path, allowed) in cases {
            for method in ["PATCH", "OPTIONS", "TRACE", "get", "FOO"] {
                let answer = await service.request(method, path)
                #expect(answer.status == 405 && answer.isProfileError, "\(method) \(path)")
                #expect(answer.header("Allow") == allowed)
            }
        }
        let head = await service.request("HEAD", "people/tom.evans")
        #expect(head.status == 200 && head.header("ETag") == "W/\"1\"")
    }

    @Test(
        "A request for a stranger's host is refused with 421 where hosts are known",
        .inProcess("The server answers such requests before the service sees them."))
    func hosts() async throws {
        let service = try await ServiceUnderTest(hosts: ["localhost", "127.0.0.1", "[::1]", "id.example.com"])
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080", "[::1]", "id.example.com"] {
            #expect(await service.request("GET", "people", headers: [("Host", host)]).status == 200, "\(host)")
        }
        for host in [
            "evil.example", "localhost.evil.example", "evil.example:8080", "localhost@evil.example", "", "[::2]", "[",
            "127.0.0.1.evil.example", "[::1].evil.example", "localhost.",
        ] {
            let answer = await service.request("GET", "people", headers: [("Host", host)])
            #expect(answer.status == 421 && answer.isProfileError, "\(host)")
        }
        let twice = [("Host", "localhost"), ("Host", "evil.example")]
        #expect(await service.request("GET", "people", headers: twice).status == 421)
        let open = try await ServiceUnderTest()
        let answer = await open.request("POST", "people", ["uid": "x"], headers: [("Host", "evil.example")])
        #expect(answer.status == 201 && answer.header("Location")?.hasPrefix("https://id.example.com/") == true)
        #expect(!answer.text.contains("evil"))
    }

    @Test(
        "Each answer has an identifier, is kept by nobody and is what it says",
        .inProcess("The server answers such requests before the service sees them."))
    func fields() async throws {
        let service = try await ServiceUnderTest()
        var identifiers: Set<String> = []
        for path in ["people", "people/gone", "people/%zz", "changes", "nothing"] {
            let answer = await service.request("GET", path)
            identifiers.insert(answer.header("X-Request-ID") ?? "")
            #expect(
                answer.header("Cache-Control") == "no-store" && answer.header("X-Content-Type-Options") == "nosniff")
            #expect(answer.header("Content-Type") == "application/json")
        }
        #expect(identifiers.count == 5 && identifiers == Set(service.log.all.map(\.id)))
    }

    @Test(
        "Any bytes for a target, a body and credentials get an answer that is no server error",
        .inProcess("The server answers such requests before the service sees them."),
        arguments: [11, 12, 13] as [UInt64])
    func anything(seed: UInt64) async throws {
        let service = try await ServiceUnderTest()
        var numbers = SeededNumbers(seed: seed)
        let words = [
            "people", "groups", "tom.evans", "sales", "manager", "members", "/", "//", "%2F", "%00", "..", ";", "?",
            "&", "=",
            "searchparam.", "uid", "*", "cursor", "pagesize", "0", "-1", "scope=all", "prefetch", "attrsToFetch", ",",
            "é", "%", "#",
        ]
        let tokens = [
            "{", "}", "[", "]", ":", ",", "\"uid\"", "\"title\"", "\"manager-uri\"", "1", "null", "\"\\ud83d\"", "1e9",
            " ", "\"x\"",
        ]
        for round in 0..<400 {
            let path = (0..<Int.random(in: 0..<8, using: &numbers)).map { _ in
                words.randomElement(using: &numbers) ?? ""
            }
            let body = (0..<Int.random(in: 0..<8, using: &numbers)).map { _ in
                tokens.randomElement(using: &numbers) ?? ""
            }
            let method = ["GET", "POST", "PUT", "DELETE"].randomElement(using: &numbers) ?? "GET"
            let answer = await service.send(
                method, ServiceUnderTest.base + "/" + path.joined(), Self.root, Array(body.joined().utf8))
            let isFitting = answer.status < 500 && (answer.status < 400 || answer.isProfileError)
            #expect(
                isFitting, "seed \(seed), round \(round): \(method) \(path.joined()) \(body.joined()): \(answer.text)")
        }
    }
}
