import Foundation
import RosterText
import RosterTransport

/// Sends requests to the servers of a world with an administrator's token, and has each answer judged.
struct Caller: Sendable {
    /// An answer, or nothing.
    struct Answer {
        /// Nil if no answer came.
        var status: Int?
        var body: JSONValue
        var text: String

        var isSuccess: Bool { status.map { (200..<300).contains($0) } ?? false }
        /// Whether the request was certainly not executed.
        var isRefusal: Bool { status.map { (400..<500).contains($0) } ?? false }
    }

    let transport: Transport
    let token: String?
    let judge: Judge

    /// Sends a request to a server.
    ///
    /// - Parameter isJudged: Whether a failure is a finding.
    func send(
        _ method: String, _ url: String, _ body: JSONValue? = nil, form: String? = nil,
        headers: KeyValuePairs<String, String> = [:], isJudged: Bool = true
    ) -> Answer {
        var request = TransportRequest(method, url)
        for (name, value) in headers { request.headers.add(name, value) }
        if let token, form == nil, request.headers["Authorization"] == nil {
            request.headers.add("Authorization", "Bearer \(token)")
        }
        if let body {
            request.headers.add("Content-Type", url.contains("/scim/") ? "application/scim+json" : "application/json")
            request.body = body.bytes
        }
        if let form {
            request.headers.add("Content-Type", "application/x-www-form-urlencoded")
            request.body = Array(form.utf8)
        }
        request.deadline = .seconds(60)
        let begun = ContinuousClock.now
        let answer: Answer
        do {
            let response = try transport.sendAndWait(request)
            let text = String(decoding: response.body, as: UTF8.self)
            answer = Answer(
                status: response.status, body: (try? JSONValue(parsing: response.body)) ?? .null, text: text)
        } catch {
            answer = Answer(status: nil, body: .null, text: "\(error)")
        }
        if isJudged {
            judge.judge(method, url, begun: begun, status: answer.status, text: answer.text)
        }
        return answer
    }
}
