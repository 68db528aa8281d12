import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The language of the sign-in pages")
struct PageLanguageTests {
    private func page(_ service: ServiceUnderTest, _ path: String, accepting languages: String? = nil) async -> Answer {
        await service.send(
            "GET", path, nil, headers: languages.map { [("Accept-Language", $0)] } ?? [])
    }

    @Test("A page is in the browser's language, and says so to caches and readers")
    func browser() async throws {
        let service = try await ServiceUnderTest()
        for (accepted, language, title) in [
            ("de-AT,en;q=0.5", "de", "Anmelden"), ("es", "es", "Iniciar sesión"), ("fr, ja;q=0.8", "ja", "サインイン"),
            ("fr", "en", "Sign in"), (nil, "en", "Sign in"),
        ] {
            let answer = await page(service, "/oauth2/sign-in", accepting: accepted)
            #expect(answer.status == 200 && answer.text.contains("<h1>\(title)</h1>"), "\(language)")
            #expect(answer.text.contains("<html lang=\"\(language)\">"))
            #expect(answer.header("Content-Language") == language && answer.header("Vary") == "Accept-Language")
        }
    }

    @Test("A refusal is in the browser's language, too")
    func refusals() async throws {
        let service = try await ServiceUnderTest()
        let unknown = await page(service, "/oauth2/authorize?client_id=x", accepting: "de")
        #expect(unknown.status == 400 && unknown.text.contains("<h1>Das hat nicht geklappt</h1>"))
        #expect(unknown.text.contains("Die App, die Sie hierher geschickt hat, ist nicht bekannt."))
    }

    @Test("An app's languages count before the browser's, and the forms keep them")
    func app() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let answer = await page(service, try app.authorizePath(["ui_locales": "fr es"]), accepting: "de")
        #expect(answer.header("Content-Language") == "es" && answer.text.contains("para continuar en <strong>"))
        #expect(answer.text.contains("action=\"authorize?ui_locales=es\""))
        let none = await page(service, try app.authorizePath(["ui_locales": "fr"]), accepting: "de")
        #expect(none.header("Content-Language") == "de" && none.text.contains("action=\"authorize\""))
        let form = [("request", "x"), ("username", "y"), ("password", "z")]
        let refused = await app.post("/oauth2/authorize?ui_locales=es", form, authorization: .some(nil))
        #expect(refused.status == 400 && refused.text.contains("<h1>No ha funcionado</h1>"), "\(refused.text)")
    }
}
