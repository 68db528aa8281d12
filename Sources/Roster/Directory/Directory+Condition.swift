package import Foundation
import RosterStore

extension Directory {
    /// The figures of a directory for those who watch it. A directory in memory has no sizes.
    package struct Condition: Sendable {
        /// The size of the directory's file in bytes, without the write-ahead log; nil for a directory in memory.
        package let fileSize: Int64?
        /// The size of the write-ahead log in bytes; nil if there is none.
        package let logSize: Int64?
        /// The bytes that are free on the disk.
        package let freeSpace: Int64?
        /// The time of the last backup; nil if there was none.
        package let lastBackup: Date?
        /// The number of those who wait for changes.
        package let followers: Int
        /// The number of searches and look-ups that were refused since the directory was opened, because too many waited.
        package let refusedReads: Int
        /// The number of searches since the directory was opened that had to read everybody.
        package let searchesOfAll: Int
    }
}

extension DirectoryStorage {
    /// The present figures. Cost: some microseconds, for the sizes are asked of the file system.
    package var condition: Directory.Condition {
        let file = directory.file
        return Directory.Condition(
            fileSize: file?.size, logSize: file.map { $0.logSize ?? 0 }, freeSpace: file?.freeSpace,
            lastBackup: file?.lastBackup, followers: directory.core.store.followerCount,
            refusedReads: directory.core.store.refusedReads,
            searchesOfAll: directory.core.searches.countOfAll)
    }
}
