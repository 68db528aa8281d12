import Foundation
import RosterStore
import Testing
import TestSupport

@testable import Roster

@Suite("Checkpoints")
struct CheckpointTests {
    @Test("A reader that is given back during a checkpoint keeps no snapshot, and one given back afterwards does")
    func endsSnapshots() throws {
        try withFolder { folder in
            let path = folder.appendingPathComponent("log.db").path
            let writer = try Connection(path: path, mode: .init(isWriter: true, mappedBytes: 0))
            try writer.run(StoreStatements.useLog)
            let pool = ReaderPool(maximum: 1, maximumSearches: 1) {
                try Connection(path: path, mode: .init(isWriter: false, mappedBytes: 0))
            }
            func use() throws {
                let reader = try pool.take(for: .lookUp)
                if reader.engine.isOutsideTransaction { try reader.run(StoreStatements.begin) }
                reader.snapshot = 1
                pool.give(reader, after: .lookUp)
            }
            func hasSnapshot() throws -> Bool {
                let reader = try pool.take(for: .lookUp)
                defer { pool.give(reader, after: .lookUp) }
                return reader.snapshot != nil || !reader.engine.isOutsideTransaction
            }
            try use()
            #expect(try hasSnapshot())
            try pool.withoutIdleSnapshots {
                #expect(try !hasSnapshot(), "the one that was idle when it began")
                try use()
                #expect(try !hasSnapshot(), "the one that was used meanwhile")
            }
            try use()
            #expect(try hasSnapshot())
            pool.close()
        }
    }
}
