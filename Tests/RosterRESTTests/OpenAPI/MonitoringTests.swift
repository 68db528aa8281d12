import Foundation
import Roster
import RosterFixtures
import RosterDialects
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

/// What an operator sees: figures, readiness, the log.
@Suite struct MonitoringTests {
    private let service: ServiceUnderTest

    init() async throws { service = try await ServiceUnderTest() }

    // MARK: Figures

    /// A line of Prometheus' text format: a name, labels, a value.
    private struct Sample {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    /// Reads the format strictly: each sample after the HELP and TYPE of its family, each series once.
    private func parsed(_ text: String) throws -> [Sample] {
        let line = /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)/
        let label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"/
        var samples: [Sample] = []
        var series: Set<String> = []
        var helped: Set<String> = []
        var family = ""
        #expect(text.hasSuffix("\n") && !text.contains("\n\n"))
        for row in text.split(separator: "\n") {
            let words = row.split(separator: " ", maxSplits: 3)
            if row.hasPrefix("# HELP ") {
                #expect(words.count == 4 && helped.insert(String(words[2])).inserted)
            } else if row.hasPrefix("# TYPE ") {
                family = String(words[2])
                #expect(helped.contains(family) && ["counter", "gauge", "histogram"].contains(words[3]))
            } else {
                let match = try #require(row.wholeMatch(of: line), "\(row)")
                let name = String(match.1)
                #expect(name == family || ["_bucket", "_sum", "_count"].contains { name == family + $0 })
                #expect(series.insert("\(name){\(match.2 ?? "")}").inserted, "\(row)")
                var labels: [String: String] = [:]
                for pair in (match.2 ?? "").matches(of: label) { labels[String(pair.1)] = String(pair.2) }
                samples.append(
                    Sample(name: name, labels: labels, value: try #require(Double(match.3), "\(row)")))
            }
        }
        return samples
    }

    @Test func countsWhatWasAsked() async throws {
        for _ in 0..<3 { _ = await service.request("GET", "people/\(ServiceUnderTest.engineer)") }
        _ = await service.request("GET", "people/nobody.at.all?secret=1")
        _ = await service.request("BREW\"\\", "/coffee")
        let answer = await service.request("GET", "/metrics", as: .monitoring)
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        let samples = try parsed(answer.text)
        func count(_ method: String, _ route: String, _ status: String) -> Double? {
            samples.first {
                $0.name == "roster_http_requests_total"
                    && $0.labels == ["method": method, "route": route, "status": status]
            }?.value
        }
        let person = "/oic_rest/rest/userprofile/people/{uid}"
        #expect(count("GET", person, "200") == 3)
        #expect(count("GET", person, "404") == 1)
        #expect(count("other", "none", "404") == 1)
        let buckets = samples.filter { $0.name.hasSuffix("_bucket") }
        #expect(zip(buckets, buckets.dropFirst()).allSatisfy { $0.value <= $1.value })
        #expect(buckets.last?.labels == ["le": "+Inf"] && buckets.last?.value == 5)
        #expect(samples.first { $0.name.hasSuffix("_count") }?.value == 5)
        #expect(samples.first { $0.name == "roster_users" }?.value == 41)
    }

    @Test(arguments: [
        (Client.administrator, 200), (.tokenAdministrator, 200), (.monitoring, 200), (.provisioning, 403),
        (.person, 403), (.nobody, 401), (.revoked, 401),
    ])
    func showsFiguresToThoseWhoWatch(_ client: Client, _ status: Int) async {
        #expect(await service.request("GET", "/metrics", as: client).status == status)
    }

    // MARK: Readiness

    @Test func isNotReadyWhileItStops() async throws {
        let draining = Gathered<Bool>()
        let directory = try Fixtures.company()
        let parameters = PasswordParameters.forTests
        let service = try RESTService(
            ServiceContext(
                directory: directory, baseURL: "https://id.example.com",
                signIn: SignIn(directory, issuer: "https://id.example.com", passwordCost: parameters),
                isDraining: { !draining.all.isEmpty }, interfaces: .dialects))
        func ask(_ path: String) async -> Answer { Answer(await service.respond(to: HTTPRequest("GET", path))) }
        #expect(await ask("/readyz").status == 200)
        draining.append(true)
        let answer = await ask("/readyz")
        #expect(answer.status == 503 && answer.text == "stopping\n")
        #expect(await ask("/healthz").status == 200)
    }

    // MARK: The log

    @Test func tellsWhoDidWhat() async throws {
        let answer = await service.request("GET", "people/\(ServiceUnderTest.engineer)?attrsToFetch=uid", as: .person)
        let record = try #require(service.log.all.last)
        let line = try JSONValue(parsing: record.line)
        #expect(line.names == ["time", "id", "who", "from", "method", "path", "status", "ms"])
        let time = try #require(line["time"]?.text)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "RFC 3339 in UTC: \(time)")
        let seconds = try #require(Timestamp.date(time)).timeIntervalSinceNow
        #expect((-60...0.001).contains(seconds))
        let warning = try JSONValue(parsing: RequestRecord.warning("x"))
        #expect(warning.names == ["time", "warning"])
        #expect(line["id"]?.text == answer.header("X-Request-ID"))
        #expect(line["who"]?.text == ServiceUnderTest.engineer)
        #expect(line["from"] == "192.0.2.1" && line["method"] == "GET" && line["status"] == 200)
        #expect(line["path"]?.text == "/oic_rest/rest/userprofile/people/\(ServiceUnderTest.engineer)")
        #expect(record.seconds > 0)
    }

    @Test func namesFiltersThatReadEverybody() async throws {
        func counted() async throws -> Double? {
            let answer = await service.request("GET", "/metrics", as: .monitoring)
            return try parsed(answer.text).first { $0.name == "roster_searches_of_everybody_total" }?.value
        }
        let before = try #require(try await counted())
        let found = await service.request(
            "GET", "/scim/v2/Users?filter=addresses.locality%20eq%20%22hidden%20town%22", as: .administrator)
        #expect(found.status == 200)
        let line = try JSONValue(parsing: try #require(service.log.all.last).line)
        #expect(line["readEverybody"]?.text == "addresses.locality equal …")
        #expect(try await counted() == before + 1)
        _ = await service.request("GET", "/scim/v2/Users?filter=userName%20eq%20%22nobody%22", as: .administrator)
        #expect(try JSONValue(parsing: try #require(service.log.all.last).line)["readEverybody"] == nil)
        #expect(try await counted() == before + 1)
    }

    @Test(arguments: [
        ("GET", "/db/_session/hidden", "/db/_session/{session}"), ("PATCH", "/db/_session/hidden/", nil),
        ("DELETE", "/db/_user/tom.evans/_session/hidden", "/db/_user/tom.evans/_session/{session}"),
        ("GET", "/db/%5Fsessio%6E/hidden?a=b", "/db/%5Fsessio%6E/{session}"), ("GET", "/db/_session/hidden/more", nil),
        ("GET", "/db/_session/hidden%zz", nil), ("GET", "//_session//hidden", "//_session/{session}"),
        ("GET", "/db/_session", "/db/_session"), ("GET", "/a%zz/_sessions/x", "/a%zz/_sessions/x"),
    ])
    func tellsNoSession(_ method: String, _ path: String, _ told: String?) async throws {
        for client in [Client.administrator, .nobody] {
            _ = await service.request(method, path, as: client)
            let line = try JSONValue(parsing: try #require(service.log.all.last).line)
            #expect(line["path"]?.text == told ?? "/db/_session/{session}")
        }
    }

    @Test func keepsSecretsToItself() async throws {
        let password = "a secret that nobody knows"
        let body: JSONValue = ["uid": "new.person", "password": .string(password), "mail": "hidden@example.com"]
        for client in [Client.administrator, .provisioning, .wrongPassword, .nobody] {
            _ = await service.request("POST", "people?filter=hidden-query", as: client, body)
            _ = await service.request("GET", "/nothing?token=hidden-query", as: client)
            _ = await service.request("GET", "/broken%zz?token=hidden-query", as: client)
            _ = await service.request("PUT", "/scim/v2/Me", as: client, ["userName": 5, "password": .string(password)])
        }
        let records = service.log.all
        #expect(records.count == 16)
        let text = records.map { String(decoding: $0.line, as: UTF8.self) }.joined(separator: "\n")
        for client in [Client.administrator, .provisioning, .wrongPassword] {
            let credentials = try #require(service.authorization(client)?.split(separator: " ").last)
            #expect(!text.contains(credentials))
        }
        for secret in [password, ServiceUnderTest.password, "hidden", "Basic ", "Bearer "] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }
}
