import RosterClient
import Testing

@Suite("Errors of the client library")
struct ClientErrorTests {
    @Test("Each code has a stable name of its own")
    func names() {
        let names = ClientError.Code.Kind.allCases.map { ClientError.Code($0).description }
        #expect(Set(names).count == names.count)
        #expect(ClientError.Code.notSignedIn.description == "not_signed_in")
    }
}
