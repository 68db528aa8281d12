import Foundation
import Roster
import RosterFixtures

/// A folder for the files that examples name without a folder. It is deleted with its last user.
final class ExampleFolder: Sendable {
    let place: URL

    init() throws {
        place = FileManager.default.temporaryDirectory.appendingPathComponent("examples-\(UUID())")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: place) }
}

/// A suite of examples that name files.
protocol NamesFiles {
    var folder: ExampleFolder { get }
}

extension NamesFiles {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Stands for the initializer of `URL` in the examples, so that their files are in the suite's folder.
    func URL(fileURLWithPath name: String) -> Foundation.URL { folder.place.appendingPathComponent(name) }

    /// The company in `company.db`.
    func company() throws -> Directory {
        let directory = try Directory(at: URL(fileURLWithPath: "company.db"))
        try directory.unrestricted.load(Seed(contentsOf: Articles.package.appendingPathComponent("Seeds/company.json")))
        return directory
    }
}
