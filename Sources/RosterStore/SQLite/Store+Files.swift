import Foundation

extension Store {
    /// The number of searches and look-ups that were refused because too many waited, or because one had waited too long.
    package var refusedReads: Int { readers.refused }

    /// The mode for reading a file. A file on a read-only medium is opened as immutable, because SQLite cannot create
    /// the companions for its write-ahead log there.
    package static func readingMode(of path: String, mappedBytes: Int64) throws -> SQLiteConnection.Mode {
        let mode = SQLiteConnection.Mode(isWriter: false, mappedBytes: mappedBytes)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let hasLog = FileManager.default.fileExists(atPath: path + "-wal")
        if hasLog || FileManager.default.isWritableFile(atPath: folder) { return mode }
        return SQLiteConnection.Mode(isWriter: false, mappedBytes: mappedBytes, isImmutable: true)
    }

    /// Refuses a file without the header of an SQLite database, before SQLite opens it.
    package static func checkHeader(of path: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return }
        if isFolder.boolValue {
            throw StoreError(.notADirectory, "'\(path)' is a folder, not a file.", advice: "Name a file in it.")
        }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw StoreError(.storageFailed, "'\(path)' cannot be read.", advice: "Check the file's permissions.")
        }
        defer { try? file.close() }
        let head = (try? file.read(upToCount: 100)) ?? Data()
        if head.isEmpty { return }
        guard head.count == 100, head.starts(with: Data("SQLite format 3\0".utf8)) else {
            throw StoreError(
                .notADirectory, "'\(path)' is not a directory file.",
                advice: "Check the path; the file was not touched.")
        }
    }
}
