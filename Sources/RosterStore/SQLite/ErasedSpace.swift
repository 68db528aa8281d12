internal import CSQLite
import Dispatch
import RosterText

/// Overwrites what deleted rows have left in a file: in the log, and in the unused middle of pages whose rows SQLite has moved to
/// another page. Everything else of a deleted row, SQLite overwrites at the deletion (`secure_delete`).
///
/// Each step holds the writer for some hundredths of a second. It begins with a checkpoint after which the file has everything, and
/// forgets the writer's own pages. A page that is clean afterwards stays so: SQLite moves rows, and never the bytes between them.
final class ErasedSpace: Sendable {
    private struct State {
        var nextPage: Int64 = 1
        /// When to give up, unless there is progress.
        var end = ContinuousClock.now + patience
    }
    private let state = Locked(State())

    /// How long a step works.
    private static let stepTime = Duration.milliseconds(40)
    /// The number of changed pages after which a step ends, because they have to reach the disk.
    private static let mostWritten = 500
    /// The number of pages that are read together.
    private static let pagesAtOnce: Int64 = 64
    /// How long the readers of old snapshots are waited for.
    private static let patience = Duration.seconds(30)
    /// How long to wait before the next attempt.
    private static let pause = Maintenance.Rest.later(.milliseconds(20))

    func step(_ connection: Connection, aroundCheckpoint: (() -> Void) -> Void) throws -> Maintenance.Rest {
        guard let engine = connection.engine as? SQLiteEngine else { return .nothing }
        let pages = try connection.first(StoreStatements.pageCount) { $0.integer(0) } ?? 0
        let isComplete = state.withLock { $0.nextPage > pages }
        guard empty(engine, truncating: isComplete, aroundCheckpoint) else {
            guard state.withLock({ $0.end > .now }) else {
                throw StoreError(
                    .overloaded, "Something reads an old state of the file, and keeps erased values in the file's log.",
                    advice: "Erase the users again when the backup, the export or the other program has ended.")
            }
            return Self.pause
        }
        if isComplete { return .nothing }
        sqlite3_db_release_memory(engine.handle)
        let next = try overwrite(connection, from: state.withLock { $0.nextPage }, of: pages)
        state.withLock { state in (state.nextPage, state.end) = (next, .now + Self.patience) }
        return .further
    }

    /// Copies the log into the file.
    ///
    /// - Returns: Whether all of the log is in the file, and the log is empty if it is to be truncated.
    private func empty(
        _ engine: SQLiteEngine, truncating: Bool, _ aroundCheckpoint: (() -> Void) -> Void
    ) -> Bool {
        var (frames, copied): (Int32, Int32) = (0, 0)
        var result = SQLITE_BUSY
        engine.waitForLocks(milliseconds: 50)
        defer { engine.waitForLocks() }
        aroundCheckpoint {
            result = sqlite3_wal_checkpoint_v2(
                engine.handle, "main", truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE,
                &frames, &copied)
        }
        return result == SQLITE_OK && frames == copied
    }

    /// Overwrites the unused middle of pages until the step has taken its time.
    ///
    /// - Returns: The first page that is left.
    private func overwrite(_ connection: Connection, from first: Int64, of pages: Int64) throws -> Int64 {
        let layout = try PageLayout(connection)
        guard pages < PageLayout.mostPages else {
            throw StoreError(
                .limitExceeded, "The file is too large for its unused bytes to be told apart.",
                advice: "The values are out of the change feed. A restored backup has no unused bytes.")
        }
        let start = ContinuousClock.now
        var next = first
        var written = 0
        var bytes: [UInt8] = []
        while next <= pages, written < Self.mostWritten, .now - start < Self.stepTime {
            let count = Int(min(Self.pagesAtOnce, pages - next + 1))
            bytes = [UInt8](repeating: 0, count: count * layout.pageSize)
            let offset = (next - 1) * Int64(layout.pageSize)
            try connection.check(roster_sqlite_read(connection.handle, &bytes, Int32(bytes.count), offset))
            for index in 0..<count {
                let page = bytes[index * layout.pageSize..<(index + 1) * layout.pageSize]
                guard let unused = layout.dirtyMiddle(of: page, number: next + Int64(index)) else { continue }
                let zeros = [UInt8](repeating: 0, count: unused.count)
                let place = offset + Int64(unused.lowerBound)
                try connection.check(roster_sqlite_write(connection.handle, zeros, Int32(zeros.count), place))
                written += 1
            }
            next += Int64(count)
        }
        if written > 0 { try connection.check(roster_sqlite_sync(connection.handle)) }
        return next
    }
}

/// Finds the unused bytes of pages, by the description of SQLite's file format.
private struct PageLayout {
    /// From this number of pages on, a page of another kind can begin with the number that marks a page of a tree.
    static let mostPages: Int64 = 0x0200_0000

    let pageSize: Int
    private let usableSize: Int
    /// The number of pages from one page of pointers to the next; nil if the file has none.
    private let pointerInterval: Int64?

    init(_ connection: Connection) throws {
        var header = [UInt8](repeating: 0, count: 100)
        try connection.check(roster_sqlite_read(connection.handle, &header, 100, 0))
        let size = Int(header[16]) << 8 | Int(header[17])
        pageSize = size == 1 ? 65_536 : size
        usableSize = pageSize - Int(header[20])
        guard (512...65_536).contains(pageSize), usableSize >= 480 else {
            throw StoreError(.damaged, "The file has pages of \(pageSize) bytes.", advice: "Restore a backup.")
        }
        let vacuums = try connection.first(StoreStatements.isVacuumedByItself) { $0.integer(0) } ?? 0
        pointerInterval = vacuums == 0 ? nil : Int64(usableSize / 5 + 1)
    }

    /// The bytes between the pointers to the cells and the first cell of a page of a tree, if they are not zero; nil otherwise.
    func dirtyMiddle(of page: ArraySlice<UInt8>, number: Int64) -> Range<Int>? {
        if let pointerInterval, number >= 2, (number - 2) % pointerInterval == 0 { return nil }
        let start = page.startIndex
        let header = start + (number == 1 ? 100 : 0)
        // Other pages begin with the number of a page, whose first byte is another one in a file of less than ``mostPages``.
        let pointers: Int
        switch page[header] {
        case 2, 5: pointers = header + 12
        case 10, 13: pointers = header + 8
        default: return nil
        }
        func value(at index: Int) -> Int { Int(page[index]) << 8 | Int(page[index + 1]) }
        let content = value(at: header + 5)
        let end = start + (content == 0 ? 65_536 : content)
        let unused = pointers + 2 * value(at: header + 3)
        guard unused < end, end <= start + usableSize, page[unused..<end].contains(where: { $0 != 0 }) else {
            return nil
        }
        return unused..<end
    }
}
