import RosterREST
import RosterText
import Testing

@Suite("Refusals of a server before it knows the request")
struct RefusalTests {
    @Test("The status in the body is that of the answer (RFC 9457, section 3.1.2)", arguments: 400...505)
    func status(status: Int) throws {
        let answer = RESTService.refusal(status, "No")
        guard case .bytes(let bytes) = answer.body else {
            Issue.record("a stream")
            return
        }
        #expect(answer.status == status)
        #expect(try JSONValue(parsing: bytes)["status"] == .integer(Int64(status)))
    }
}
