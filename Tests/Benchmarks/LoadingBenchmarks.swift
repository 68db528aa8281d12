import Foundation
import Roster
import RosterFixtures

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How long the same people take to come into an empty directory: generated, and from a document of each format.
struct LoadingBenchmarks {
    private let people: Int
    private let folder: URL

    init(people: Int, folder: URL) throws {
        self.people = people
        self.folder = folder.appendingPathComponent("loading-\(people)")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    func run() throws {
        let generator = OrganizationGenerator(people: people, seedNumber: 1)
        let usual = try load("generate") { try generator.load(into: $0) }
        for format in ExchangeFormat.allCases {
            let document = folder.appendingPathComponent("people.\(format.rawValue)")
            try export(format, to: document)
            for onBadRow in ImportOptions.BadRow.allCases {
                let name = "import_\(format.rawValue)" + (onBadRow == .skip ? "_skipping" : "")
                let cost = try load(name) { view in
                    let data = try Data(contentsOf: document, options: .alwaysMapped)
                    try view.importPeople(
                        from: data, named: "people",
                        options: .init(format: format, onBadRow: onBadRow, grants: .roles))
                }
                compare(name, cost, usual)
            }
        }
        let document = folder.appendingPathComponent("people.json")
        compare("seed", try load("seed") { try $0.load(Seed(contentsOf: document)) }, usual)
    }

    private struct Cost {
        let seconds: Double
        let processorSeconds: Double
    }

    private func compare(_ name: String, _ cost: Cost, _ usual: Cost) {
        figure("ratio.\(name)_to_generate", cost.seconds / usual.seconds, "x")
        figure("ratio.\(name)_to_generate_processor", cost.processorSeconds / usual.processorSeconds, "x")
    }

    /// The file that the last load made; exports come from it.
    private var file: URL { folder.appendingPathComponent("loaded.db") }

    private func export(_ format: ExchangeFormat, to document: URL) throws {
        let directory = try Directory(at: file, readOnly: true)
        defer { directory.close() }
        try Data().write(to: document)
        let handle = try FileHandle(forWritingTo: document)
        try directory.unrestricted.export(format) { try handle.write(contentsOf: $0) }
        try handle.close()
    }

    private func load(_ name: String, _ body: (DirectoryView) throws -> Void) throws -> Cost {
        for ending in ["", "-wal", "-shm", "-lock"] {
            try? FileManager.default.removeItem(at: URL(fileURLWithPath: file.path + ending))
        }
        sync()
        let directory = try Directory(at: file)
        defer { directory.close() }
        // The highest memory is counted anew from here on.
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        var time = 0.0
        let processor = try processorSeconds { time = try seconds { try body(directory.unrestricted) } }
        let cost = Cost(seconds: time, processorSeconds: processor)
        figure("roster.\(name)", Double(people) / time, "users/s")
        figure("roster.\(name)_processor_time", cost.processorSeconds * 1_000_000 / Double(people), "us/user")
        figure("roster.\(name)_memory", memory("VmHWM") / 1_024, "MB")
        return cost
    }
}
