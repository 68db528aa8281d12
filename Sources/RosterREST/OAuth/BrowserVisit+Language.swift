import RosterSignIn

/// The language of the pages: that of the app's request, else that of the browser.
extension BrowserVisit {
    /// The pages in the user's language.
    var pages: SignInPages {
        let asked = locales ?? call.target.query.first { $0.name == PageTexts.parameter }?.value
        return SignInPages(
            texts: PageTexts(asked: asked, accepted: call.request.headers.values(of: "Accept-Language")),
            branding: oauth.settings.current.branding)
    }

    /// The same visit, in the languages that an app's request names; in those of the address for nil.
    func asking(_ locales: String?) -> BrowserVisit {
        var visit = self
        visit.locales = locales ?? visit.locales
        return visit
    }
}
