import Foundation

/// Certificates of an authority of the storm's own, made by `openssl`.
enum Certificates {
    /// Makes the authority.
    ///
    /// - Returns: The file with its certificate.
    static func makeAuthority(in folder: URL) throws -> String {
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=storm -keyout ca.key -out ca.pem",
            in: folder)
        return folder.appendingPathComponent("ca.pem").path
    }

    /// Makes the server's certificate, or replaces it by one that is valid for another time.
    static func makeServer(days: Int, in folder: URL) throws {
        let extensions = folder.appendingPathComponent("extensions")
        try "subjectAltName=IP:127.0.0.1\n".write(to: extensions, atomically: true, encoding: .utf8)
        try openssl(
            "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=server -keyout new.key -out server.csr",
            in: folder)
        try openssl(
            "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days \(days) -extfile extensions -out new.pem",
            in: folder)
        for (new, name) in [("new.pem", "server.pem"), ("new.key", "server.key")] {
            let to = folder.appendingPathComponent(name)
            guard rename(folder.appendingPathComponent(new).path, to.path) == 0 else {
                throw StormError("'\(to.path)' cannot be replaced")
            }
        }
    }

    private static func openssl(_ arguments: String, in folder: URL) throws {
        let ended = try RunningProgram(
            systemProgram("openssl"), arguments.split(separator: " ").map(String.init), in: folder
        ).end(within: 30)
        guard ended.isSuccess else { throw StormError("openssl: \(ended.problem)") }
    }
}
