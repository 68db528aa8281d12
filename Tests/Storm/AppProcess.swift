import Foundation
import Roster

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What an app does that links the library: the storm's own program, run once more.
enum AppProcess {
    /// The first argument of an app.
    static let word = "--app"

    /// Runs an app, and ends the process.
    ///
    /// - `read FILE SECONDS` looks into a directory that a server has open.
    /// - `write FILE KIND` has a directory of its own, and opens the same file a second time: not (`none`), for writing
    ///   (`again`) or for reading (`reading`). It writes before and after, and waits for the storm between and at the end.
    static func run(_ words: [String]) -> Never {
        do {
            let url = URL(fileURLWithPath: words[1])
            switch words[0] {
            case "read": try read(url, seconds: Double(words[2]) ?? 1)
            default: try write(url, kind: words[2])
            }
            exit(0)
        } catch {
            say("\(error)")
            exit(1)
        }
    }

    private static func read(_ url: URL, seconds: Double) throws {
        let directory = try Directory(at: url, readOnly: true)
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            say("\(try directory.unrestricted.users.count())")
            usleep(50_000)
        }
        directory.close()
    }

    private static func write(_ url: URL, kind: String) throws {
        let directory = try Directory(at: url)
        let users = directory.unrestricted.users
        try users.create("first")
        switch kind {
        case "again":
            if (try? Directory(at: url)) != nil { say("opened twice for writing") }
        case "reading":
            let second = try Directory(at: url, readOnly: true)
            _ = try second.unrestricted.users.count()
            second.close()
        default: break
        }
        say("opened")
        waitForFile("go", beside: url)
        for number in 0..<20 { try users.create("later\(number)") }
        say("written")
        waitForFile("end", beside: url)
        withExtendedLifetime(directory) {}
    }

    /// Waits until the storm makes a file of this name.
    private static func waitForFile(_ name: String, beside url: URL) {
        while access("\(url.path).\(name)", F_OK) != 0 { usleep(5_000) }
    }
}
