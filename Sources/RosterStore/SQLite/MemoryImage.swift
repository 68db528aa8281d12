internal import CSQLite
package import Foundation

extension SQLiteEngine {
    /// The whole database as bytes.
    func image() throws -> Data {
        var size: sqlite3_int64 = 0
        guard let bytes = sqlite3_serialize(handle, "main", &size, 0) else {
            throw StoreFailure.error(SQLITE_NOMEM, on: handle)
        }
        defer { sqlite3_free(bytes) }
        return Data(bytes: bytes, count: Int(size))
    }

    /// Replaces this database in memory by bytes from ``image()``.
    func load(_ image: Data) throws {
        let count = sqlite3_int64(image.count)
        guard let bytes = sqlite3_malloc64(sqlite3_uint64(image.count))?.assumingMemoryBound(to: UInt8.self) else {
            throw StoreFailure.error(SQLITE_NOMEM, on: handle)
        }
        image.copyBytes(to: bytes, count: image.count)
        // SQLite frees the bytes even if it refuses them.
        let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
        let result = sqlite3_deserialize(handle, "main", bytes, count, count, flags)
        guard result == SQLITE_OK else { throw StoreFailure.error(result, on: handle) }
    }
}

extension Store {
    /// The whole directory as bytes.
    package func image() throws -> Data {
        try read { connection in
            guard let engine = connection.engine as? SQLiteEngine else {
                throw StoreError(.storageFailed, "A directory on a server has no image.", advice: "Copy it to a file.")
            }
            return try engine.image()
        }
    }
}
