import RosterSignIn
import RosterText
import Testing

@Suite("Which tokens of other issuers are exchanged", .timeLimit(.minutes(2)))
struct ExternalTokenTests {
    @Test("Of the kinds of JWT only those that grant something are exchanged, however 'typ' is written")
    func kinds() async throws {
        try await IssuerPlace.with { place in
            let unnamed = await place.report(try place.token(header: [:]))
            #expect(unnamed.identity != nil)
            for type in [
                "JWT", "jwt", "at+jwt", "application/at+jwt", "AT+JWT", "authorization-grant+jwt", "oauth-id-jag+jwt",
                "application/OAuth-ID-JAG+jwt",
            ] {
                let report = await place.report(try place.token(header: ["typ": .string(type)]))
                #expect(report.identity != nil, "\(type)")
            }
            for type in [
                "logout+jwt", "application/LOGOUT+jwt", "secevent+jwt", "dpop+jwt", "+jwt", "client-authentication+jwt",
                "logout+jwt; a=b", "x/at+jwt",
            ] {
                let report = await place.report(try place.token(header: ["typ": .string(type)]))
                #expect(report.identity == nil && report.refusal?.rule == .kind, "\(type)")
            }
            let named = await place.report(try place.token(header: ["typ": "application/logout+jwt"]))
            #expect(named.refusal?.explanation.contains(#"a "logout+jwt", which is not exchanged"#) == true)
        }
    }
}
