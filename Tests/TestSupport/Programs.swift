public import Foundation

/// A program of the package that a test runs as a process of its own, beside the test bundle.
public func builtProgram(_ name: String) throws -> URL {
    var candidates: [URL] = []
    for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
        candidates.append(URL(fileURLWithPath: argument).deletingLastPathComponent())
    }
    if let executable = Bundle.main.executableURL { candidates.append(executable.deletingLastPathComponent()) }
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    candidates.append(package.appendingPathComponent(".build/debug"))
    let found = candidates.map { $0.appendingPathComponent(name) }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    guard let found else { throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name]) }
    return found
}
