import Foundation

/// The engine of a world, and what starts and ends with it.
enum StormEngine: Sendable {
    case file
    case postgreSQL(Pair)

    var serverCount: Int {
        switch self {
        case .file: 1
        case .postgreSQL: 2
        }
    }

    /// The directory, as commands name it.
    func database(in folder: URL) -> String {
        switch self {
        case .file: folder.appendingPathComponent("company.db").path
        case .postgreSQL(let pair): pair.address
        }
    }

    /// What `serve` needs besides the directory.
    func options(in folder: URL) -> [String] {
        switch self {
        case .file: []
        case .postgreSQL: ["--master-key", folder.appendingPathComponent("key").path]
        }
    }

    /// The pair of PostgreSQL servers.
    var pair: Pair? {
        if case .postgreSQL(let pair) = self { return pair }
        return nil
    }

    func stop() { pair?.stop() }
}
