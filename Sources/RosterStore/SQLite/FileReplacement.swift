internal import CSQLite
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Puts a new file in the place of a directory's file. After a failure or a crash at any point, the place has the old directory or
/// the new one, whole.
package enum FileReplacement {
    /// Creates a file beside the target, and renames it only when it is complete and on the disk. It gets the
    /// permissions, the owner and the group of the file that it replaces, or of another file.
    ///
    /// - Throws: `fileInUse` if another process reads the old file for longer than a connection waits for locks.
    static func replace(
        _ path: String, asOwnerOf file: DirectoryFile? = nil, _ make: (String) throws -> Void
    ) throws {
        let partial = path + ".partial"
        func discard() {
            for ending in ["", "-wal", "-shm", "-journal"] { unlink(partial + ending) }
        }
        discard()
        do {
            try make(partial)
            try (file ?? DirectoryFile(at: path)).keepOwner(on: partial)
            DirectoryFile.flush(partial)
            let moved = try retireLog(of: path)
            guard rename(partial, path) == 0 else {
                let reason = errno
                for log in moved { rename(log.new, log.old) }
                throw StoreError(
                    reason == ENOSPC || reason == EDQUOT ? .storageFull : .storageFailed,
                    "'\(path)' cannot be put in place: \(String(cString: strerror(reason))).",
                    advice: "Check the folder's permissions, and the space on the disk. The old file is unchanged.")
            }
            DirectoryFile.flush(DirectoryFile.folder(of: path))
            for ending in ["-wal", "-shm"] { unlink(partial + ending) }
        } catch {
            discard()
            throw error
        }
    }

    /// Gives a new file its name, after its log is folded into the file and everything is on the disk.
    ///
    /// - Parameters:
    ///   - partial: The path of the new file, which nobody has open.
    ///   - path: The name, which no file has.
    package static func install(_ partial: String, at path: String) throws {
        let logs = try retireLog(of: partial)
        DirectoryFile.flush(partial)
        guard logs.isEmpty, rename(partial, path) == 0 else {
            throw StoreError(
                .storageFailed, "'\(path)' cannot be put in place.",
                advice: "Check the folder's permissions, and the space on the disk.")
        }
        DirectoryFile.flush(DirectoryFile.folder(of: path))
    }

    /// Frees a path from the log of its file, which SQLite would otherwise apply to the next file of that name. The old file takes in
    /// what its log contains, and is whole without the log. A damaged file cannot do so: its log is kept under another name.
    ///
    /// - Returns: The old and the new names of logs that are kept.
    private static func retireLog(of path: String) throws -> [(old: String, new: String)] {
        let logs = [path + "-wal", path + "-journal"]
        if hasContent(path), logs.contains(where: hasContent) {
            do {
                let old = try Connection(path: path, mode: .init(isWriter: true, mappedBytes: 0))
                // The first read rolls back what an interrupted change of another program left.
                _ = try old.first(StoreStatements.tableCount) { $0.integer(0) }
                try old.check(
                    sqlite3_wal_checkpoint_v2(old.handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
            } catch let error as StoreError where ![.damaged, .notADirectory].contains(error.kind) {
                throw error
            } catch {}
        }
        var moved: [(old: String, new: String)] = []
        for log in logs {
            guard hasContent(log) else {
                unlink(log)
                continue
            }
            let name = DirectoryFile.freeName(for: log)
            guard rename(log, name) == 0 else {
                let reason = String(cString: strerror(errno))
                for log in moved { rename(log.new, log.old) }
                throw StoreError(
                    .storageFailed, "The log '\(log)' of the old file cannot be renamed: \(reason).",
                    advice: "Check the folder's permissions. The old file is unchanged.")
            }
            moved.append((log, name))
        }
        // A process that still reads the old file must not share this index with those that open the new one.
        unlink(path + "-shm")
        return moved
    }

    private static func hasContent(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_size > 0
    }
}
