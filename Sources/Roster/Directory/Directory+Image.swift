package import Foundation
import RosterStore

extension Directory {
    /// The directory as bytes, for fast copies with ``inMemory(image:clock:)``.
    package func memoryImage() throws -> Data { try core.store.image() }

    /// Makes a directory in memory from the bytes of another one; an empty directory without bytes.
    package static func inMemory(image: Data?, clock: @escaping @Sendable () -> Date = { Date() }) throws -> Directory {
        let store = try Store(.memory, mappedBytes: 0, now: clock(), image: image)
        return Directory(core: try DirectoryCore(store: store, clock: clock))
    }
}
