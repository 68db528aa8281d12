import Foundation
import Roster
import RosterClient
import RosterSecrets
import RosterText
import RosterTransport

/// The server of `--server`, which a command asks in place of a file.
struct AdministeredServer: Sendable {
    /// How the caller proves who asks.
    private enum Proof: Sendable {
        /// The token of `--token-file`.
        case token(String)
        /// The user whom `roster client sign-in` signed in, with the store of `--store`.
        case app(ClientApp)
    }

    private let base: String
    private let url: URL
    private let proof: Proof

    /// The server that the arguments name; nil if they name none.
    init?(_ arguments: Arguments) throws {
        let others = ["token-file", "store", "key-file", "passphrase-file"]
        guard let text = arguments.value("server") else {
            let lone = others.first { arguments.value($0) != nil } ?? (arguments.has("passphrase") ? "passphrase" : nil)
            guard let lone else { return nil }
            throw UsageError("--\(lone) needs --server URL.")
        }
        if arguments.value("database") != nil { throw UsageError("Give --database or --server, not both.") }
        url = try ClientApp.url(of: text)
        var base = text
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
        switch (arguments.value("token-file"), arguments.value("store")) {
        case (let file?, nil): proof = .token(try secret(inFile: file))
        case (nil, _?): proof = .app(try ClientApp(arguments))
        case (_?, _?): throw UsageError("Give --token-file or --store, not both.")
        case (nil, nil):
            throw UsageError(
                "Who asks the server? Give --token-file FILE, or --store FILE.",
                advice: "'roster client sign-in' makes a store, 'roster token create' a token.")
        }
    }

    /// The server's directory, with the rights of the caller.
    func view() async throws -> DirectoryView {
        switch proof {
        case .token(let token):
            try await DirectoryView(server: url, credentials: .bearer(token), transport: Network.transport)
        case .app(let app): try await app.view()
        }
    }

    /// The address of a path of the server.
    func address(_ path: [String], query: [(name: String, value: String)] = []) -> String {
        base + path.map { "/" + PercentEncoding.segment($0) }.joined()
            + (query.isEmpty ? "" : "?" + FormEncoding.text(query))
    }

    /// Sends a request as ``answer(to:)`` does, and throws each failure as a `DirectoryError`.
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        do {
            return try await answer(to: request)
        } catch let error as TransportError {
            throw DirectoryError(error)
        } catch let error as ClientError {
            throw DirectoryError(error)
        } catch let error as SecureStoreError {
            throw DirectoryError(error)
        }
    }

    /// Sends a request with the caller's token, and returns the answer.
    ///
    /// - Throws: `TransportError`, `ClientError` or `SecureStoreError` for a request without an answer; `DirectoryError` for an answer that is an error.
    private func answer(to request: TransportRequest) async throws -> TransportResponse {
        let response: TransportResponse
        let canRenew: Bool
        switch proof {
        case .token(let token):
            var request = request
            request.headers["Authorization"] = "Bearer " + token
            (response, canRenew) = (try await Network.transport.send(request), false)
        case .app(let app): (response, canRenew) = (try await app.send(request), true)
        }
        guard (200..<300).contains(response.status) else {
            throw DirectoryError(problem: response) ?? DirectoryError(status: response, canRenew: canRenew)
        }
        return response
    }

    // MARK: Seeds and exports

    /// The largest report of an import in bytes.
    private static let largestAnswer = 2 << 30
    /// The time for a seed, an import or an export.
    private static let patience = Duration.seconds(600)

    /// Loads the seed of a file.
    func load(_ seed: Data, named name: String, grants: Grants) async throws -> JSONValue {
        let query = [
            (name: "name", value: name), (name: "grant_administrators", value: "\(grants == .administrators)"),
        ]
        let upload = try await upload(seed)
        var request = TransportRequest(
            "POST", address(["admin", "seed"], query: query + (upload.map { [$0] } ?? [])),
            body: upload == nil ? Array(seed) : [])
        request.headers["Content-Type"] = "application/json"
        request.deadline = Self.patience
        return try json(of: try await send(request))
    }

    /// The most bytes of a request with a document. A larger document is sent in parts of this size.
    private static let largestPart = 32 << 20

    /// Sends a large document in parts, and returns the parameter that names it; nil for a document that fits into a request.
    private func upload(_ document: Data) async throws -> (name: String, value: String)? {
        guard document.count > Self.largestPart else { return nil }
        let begun = try await send(TransportRequest("POST", address(["admin", "uploads"])))
        guard let id = try json(of: begun)["upload"]?.text else { throw DirectoryError.badAnswer(begun) }
        let progress = Progress("sending", total: document.count)
        defer { progress.finish() }
        for place in stride(from: 0, to: document.count, by: Self.largestPart) {
            let part = document.dropFirst(place).prefix(Self.largestPart)
            var request = TransportRequest(
                "PUT", address(["admin", "uploads", id], query: [(name: "at", value: String(place))]), body: Array(part)
            )
            request.headers["Content-Type"] = "application/octet-stream"
            request.deadline = Self.patience
            _ = try await send(request)
            progress.show(place + part.count)
        }
        return (name: "upload", value: id)
    }

    /// Imports a document with the parameters of `/admin/import`, and returns the report.
    func importPeople(_ document: Data, query: [(name: String, value: String)]) async throws -> JSONValue {
        let upload = try await upload(document)
        var request = TransportRequest(
            "POST", address(["admin", "import"], query: query + (upload.map { [$0] } ?? [])),
            body: upload == nil ? Array(document) : [])
        request.headers["Content-Type"] = "application/octet-stream"
        (request.maximumBodyBytes, request.deadline) = (Self.largestAnswer, Self.patience)
        let isDry = query.contains { $0.name == "dry_run" && $0.value == "true" }
        let partly =
            isDry
            ? "This was a dry run, which keeps nothing."
            : "The server may have imported the first rows of the file. Import the same file again to finish: rows that are there "
                + "already change nothing."
        let nothing = "Nothing was sent, so the server has imported no row."
        do {
            return try json(of: try await answer(to: request))
        } catch let error as TransportError {
            throw DirectoryError(error).advising(error.mayHaveBeenSent ? partly : nothing)
        } catch let error as ClientError {
            throw DirectoryError(error).advising(error.mayHaveBeenSent ? partly : nothing)
        } catch let error as SecureStoreError {
            throw DirectoryError(error).advising(nothing)
        } catch let error as DirectoryError where [.unreachable, .outcomeUnknown].contains(error.code) {
            throw error.advising(partly)
        }
    }

    /// Writes the whole directory in a format, in the pieces in which it arrives.
    func export(
        _ format: ExchangeFormat, isForSpreadsheet: Bool, under base: String?, to write: (Data) throws -> Void
    ) async throws {
        var query = [(name: "format", value: format.rawValue), (name: "spreadsheet", value: "\(isForSpreadsheet)")]
        if let base { query.append((name: "base_dn", value: base)) }
        var request = TransportRequest("GET", address(["admin", "export"], query: query))
        request.deadline = Self.patience
        do {
            let (answer, canRenew) = try await stream(request)
            guard (200..<300).contains(answer.status) else {
                let response = TransportResponse(
                    status: answer.status, headers: answer.headers, body: try await answer.rest(upTo: 1 << 20))
                throw DirectoryError(problem: response) ?? DirectoryError(status: response, canRenew: canRenew)
            }
            for try await piece in answer { try write(Data(piece)) }
        } catch let error as TransportError {
            throw DirectoryError(error)
        } catch let error as ClientError {
            throw DirectoryError(error)
        } catch let error as SecureStoreError {
            throw DirectoryError(error)
        }
    }

    private func stream(_ request: TransportRequest) async throws -> (answer: TransportStream, canRenew: Bool) {
        switch proof {
        case .token(let token):
            var request = request
            request.headers["Authorization"] = "Bearer " + token
            return (try await Network.transport.stream(request), false)
        case .app(let app): return (try await app.stream(request), true)
        }
    }

    private func json(of response: TransportResponse) throws -> JSONValue {
        guard !response.body.isEmpty else { return [:] }
        guard let json = try? JSONValue(parsing: response.body) else { throw DirectoryError.badAnswer(response) }
        return json
    }
}
