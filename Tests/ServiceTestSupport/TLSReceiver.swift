import Foundation
import RosterText
package import RosterTransport

/// An https server on this machine that keeps the forms that it gets, with an authority of its own: an app's address for sign-outs. It
/// is a program in Python, because nothing here serves TLS to tests.
package final class TLSReceiver: Sendable {
    package let port: Int
    private let folder: URL
    private let input = Pipe()

    private static let program = """
        import http.server, json, os, ssl, sys, threading
        folder = sys.argv[1]
        def end_with_the_tests():
            sys.stdin.read()
            os._exit(0)
        threading.Thread(target=end_with_the_tests, daemon=True).start()
        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                with open(folder + "/requests", "a") as file: file.write(self.command + " " + self.path + " " + body + "\\n")
                try: status, headers, text = json.load(open(folder + "/answer"))
                except FileNotFoundError: status, headers, text = 200, {}, ""
                self.send_response(status)
                for name in headers: self.send_header(name, headers[name])
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())
            do_GET = do_POST = answer
            def log_message(self, *args): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        open(folder + "/port.new", "w").write(str(server.server_address[1]))
        os.rename(folder + "/port.new", folder + "/port")
        server.serve_forever()
        """

    package init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-receiver-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.path
        try Self.run(
            "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", path + "/key.pem", "-out", path + "/cert.pem", "-subj", "/CN=receiver", "-days", "2", "-addext",
            "subjectAltName=IP:127.0.0.1,DNS:localhost")
        try Self.program.write(toFile: path + "/receiver.py", atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [path + "/receiver.py", path]
        // The receiver ends when this pipe closes. A signal would not do: children of a worker thread inherit its mask, which blocks
        // SIGTERM. `swift test` waits until nobody has its output open, so the receiver gets none of it.
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        var found: Int?
        for _ in 0..<500 where found == nil {
            found = (try? String(contentsOfFile: path + "/port", encoding: .utf8)).flatMap { Int($0) }
            if found == nil { Thread.sleep(forTimeInterval: 0.02) }
        }
        guard let found else {
            try? input.fileHandleForWriting.close()
            throw CocoaError(.fileReadUnknown)
        }
        port = found
    }

    /// An address of the server.
    package func url(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }

    /// The connections of a client that trusts the server.
    package var transport: Transport {
        var settings = TransportSettings()
        settings.authoritiesFile = folder.path + "/cert.pem"
        return Transport(settings)
    }

    /// What the server answers from now on.
    package func answer(_ status: Int, headers: [String: String] = [:], _ text: String = "") throws {
        try JSONSerialization.data(withJSONObject: [status, headers, text] as [Any])
            .write(to: folder.appendingPathComponent("answer"), options: .atomic)
    }

    /// The requests that came: each the method, the path and the body.
    package var requests: [String] {
        let text = (try? String(contentsOf: folder.appendingPathComponent("requests"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    private static func run(_ program: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        try? FileManager.default.removeItem(at: folder)
    }
}
