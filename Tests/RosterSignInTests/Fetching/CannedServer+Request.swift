import RosterSignIn
import RosterText
import TestSupport

extension CannedServer {
    /// Answers a path with JSON from now on.
    func answer(_ path: String, _ json: JSONValue) {
        answer(path, body: String(decoding: json.bytes, as: UTF8.self))
    }

    var request: DocumentFetcher.Request {
        var request = DocumentFetcher.Request("http://127.0.0.1:\(port)/keys")
        request.allowsHTTP = true
        request.connectTimeoutSeconds = 1
        request.readTimeoutSeconds = 1
        return request
    }
}
