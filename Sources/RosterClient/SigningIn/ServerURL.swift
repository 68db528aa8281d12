package import Foundation
import RosterOpenID

/// The URL of a server that an app names.
package enum ServerURL {
    /// The text of a URL without a slash at its end; nil for a URL that is not https, is not of this machine either, or has a path, a
    /// query, a fragment or a user name.
    package static func base(_ url: URL) -> String? {
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        let isLocal = AppRegistration(issuer: text, clientID: "").isLocal
        guard ProviderMetadata.isEndpoint(text, allowsHTTP: isLocal), url.user() == nil, url.query() == nil,
            url.fragment == nil, url.path().allSatisfy({ $0 == "/" })
        else { return nil }
        return text
    }
}
