import Foundation

/// Runs OpenLDAP's programs, which nobody here wrote.
enum Tool {
    struct Outcome: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    /// - Parameter input: The text of standard input.
    static func run(
        _ name: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) throws -> Outcome {
        let (process, output, errors, source) = (Process(), Pipe(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/" + name)
        process.arguments = arguments
        // OpenLDAP's programs read no settings of this machine's, unless the test has some.
        process.environment = environment.isEmpty ? ["LDAPNOINIT": "1"] : environment
        (process.standardOutput, process.standardError, process.standardInput) = (output, errors, source)
        try process.run()
        source.fileHandleForWriting.write(Data(input.utf8))
        try source.fileHandleForWriting.close()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let problem = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: problem, as: UTF8.self))
    }
}

extension ServedCompany {
    /// Runs a program of OpenLDAP against the server.
    func tool(
        _ name: String, as user: String? = ServedCompany.emma, _ arguments: String..., input: String = "",
        password: String = ServedCompany.password
    ) throws -> Tool.Outcome {
        let login = user.map { ["-D", $0, "-w", password] } ?? []
        return try Tool.run(name, ["-x", "-H", "ldap://127.0.0.1:\(port)"] + login + arguments, input: input)
    }
}
