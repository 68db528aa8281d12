import Foundation
import Roster
import RosterText

/// A provider whose access tokens the mobile cloud's apps send along (`Oracle-Mobile-Social-Access-Token`): Facebook, or
/// whatever answers as its Graph API does.
package struct SocialProvider: Sendable, Hashable {
    /// The issuer of the provider's virtual users.
    package let issuer: String
    /// The name of the entry.
    package let name: String
    /// The name that apps give the provider in `Oracle-Mobile-Social-Identity-Provider`. Several entries can be apps of one provider.
    package let provider: String
    private let applicationID: String
    private let applicationSecret: String
    private let url: String

    /// Reads an entry with `app_id`, `app_secret`, `url`, which Facebook's own entry may leave out, and `provider`, which an entry for one
    /// more app of a provider needs.
    init(_ value: JSONValue, named name: String, at path: String) throws {
        var object = try DocumentObject(value, at: path)
        self.name = name
        let provider = try object.text("provider") ?? name
        self.provider = provider
        applicationID = try object.required(try object.text("app_id"), "app_id")
        applicationSecret = try object.required(try object.text("app_secret"), "app_secret")
        let given = try object.text("url")
        guard provider == "facebook" || given != nil else {
            throw DocumentObject.problem(object.path(of: "url"), "is missing.", "Only Facebook's is known.")
        }
        var url = given ?? "https://graph.facebook.com"
        while url.hasSuffix("/") { url.removeLast() }
        guard let parts = URL(string: url), parts.host() != nil, parts.user == nil, parts.query == nil,
            parts.scheme == "https"
                || parts.scheme == "http" && Loopback.contains(hostOf: url)
        else {
            throw DocumentObject.problem(
                object.path(of: "url"), "is not an https address.", "http is accepted for a provider on this machine.")
        }
        self.url = url
        issuer = provider == "facebook" ? "https://www.facebook.com" : url
        try object.finish()
    }

    /// The user of a token.
    struct Profile: Sendable, Hashable {
        let subject: String
        let name: String
        let expires: Date
    }

    /// Asks the provider for the user of a token, and whether the token was issued to our own application. A token of another
    /// application is not accepted.
    ///
    /// - Throws: ``DocumentFetcher/Problem`` if the provider does not answer, or its answer is wrong.
    func profile(of token: String, now: Date, by fetcher: DocumentFetcher) async throws -> Profile? {
        var request = DocumentFetcher.Request(url + "/debug_token?input_token=" + PercentEncoding.text(token))
        request.authorization = "Bearer \(applicationID)|\(applicationSecret)"
        request.allowsHTTP = url.hasPrefix("http:")
        (request.connectTimeoutSeconds, request.readTimeoutSeconds) = (5, 10)
        let data = try await fetcher.object(request)["data"] ?? .null
        guard data["is_valid"] == true, Self.text(data["app_id"]) == applicationID,
            let subject = Self.text(data["user_id"]), (1...255).contains(subject.utf8.count)
        else { return nil }
        // The value 0 means that the token has no end.
        let end = data["expires_at"].flatMap { if case .integer(let time) = $0, time > 0 { time } else { nil } }
        let expires = end.map { Date(timeIntervalSince1970: Double($0)) } ?? .distantFuture
        guard now < expires else { return nil }
        request.url = url + "/me?fields=id,name"
        request.authorization = "Bearer " + token
        let person = try await fetcher.object(request)
        guard Self.text(person["id"]) == subject else { return nil }
        let name =
            person["name"]?.text.flatMap { (try? EntityName($0)) != nil && EntityName.isVisible($0) ? $0 : nil }
            ?? subject
        return Profile(subject: subject, name: name, expires: expires)
    }

    /// Reads an identifier, which is a text or a number.
    private static func text(_ value: JSONValue?) -> String? {
        if case .integer(let number)? = value { return String(number) }
        return value?.text
    }
}
