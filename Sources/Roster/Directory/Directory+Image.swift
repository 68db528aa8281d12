package import Foundation
import RosterStore

extension Directory {
    /// The directory as bytes, from which ``inMemory(image:clock:)`` makes equal ones in no time.
    package func memoryImage() throws -> Data { try core.store.read { try $0.image() } }

    /// Makes a directory in memory that is equal to the one whose bytes are given; an empty one without bytes.
    package static func inMemory(
        image: Data?, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws -> Directory {
        let store = try Store(.memory, mappedBytes: 0, now: clock(), image: image)
        return Directory(core: try DirectoryCore(store: store, clock: clock))
    }
}
