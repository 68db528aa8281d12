internal import CSQLite
package import Foundation

extension Connection {
    /// The whole database as bytes.
    func image() throws -> Data {
        var size: sqlite3_int64 = 0
        guard let bytes = sqlite3_serialize(handle, "main", &size, 0) else {
            throw StoreFailure.error(SQLITE_NOMEM, on: handle)
        }
        defer { sqlite3_free(bytes) }
        return Data(bytes: bytes, count: Int(size))
    }

    /// Puts bytes that ``image()`` made in the place of this database in memory.
    func load(_ image: Data) throws {
        let count = sqlite3_int64(image.count)
        guard let bytes = sqlite3_malloc64(sqlite3_uint64(image.count))?.assumingMemoryBound(to: UInt8.self) else {
            throw StoreFailure.error(SQLITE_NOMEM, on: handle)
        }
        image.copyBytes(to: bytes, count: image.count)
        // SQLite frees the bytes, also where it refuses them.
        let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
        try check(sqlite3_deserialize(handle, "main", bytes, count, count, flags))
    }
}

extension Directory {
    /// The directory as bytes, from which ``inMemory(image:clock:)`` makes equal ones in no time.
    package func memoryImage() throws -> Data { try core.store.read { try $0.image() } }

    /// Makes a directory in memory that is equal to the one whose bytes are given.
    package static func inMemory(
        image: Data, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws -> Directory {
        let store = try Store(.memory, mappedBytes: 0, now: clock(), image: image)
        return Directory(core: try DirectoryCore(store: store, clock: clock))
    }
}
