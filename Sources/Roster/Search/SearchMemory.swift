import Synchronization
import RosterText

/// Remembers the ends of pages and the totals of recent searches until something is written. So a page by its position
/// does not count through the pages before it, and a total is counted once.
final class SearchMemory: Sendable {
    private struct Entry {
        var commit: UInt64
        var total: Int?
        /// The ends of pages, in the order of their offsets.
        var marks: [(offset: Int, place: SearchPlan.Place)] = []
    }
    private static let maximumSearches = 256
    private static let maximumMarks = 256

    private let entries = Locked<[UInt64: Entry]>([:])
    private let readingAll = Atomic<Int>(0)

    /// How many searches had to read everybody, because no index answers their filter.
    var countOfAll: Int { readingAll.load(ordering: .relaxed) }
    func noteReadingAll() { readingAll.add(1, ordering: .relaxed) }

    /// The last known end of a page that is not beyond an offset.
    func mark(notBeyond offset: Int, of search: UInt64, at commit: UInt64) -> (offset: Int, place: SearchPlan.Place)? {
        entries.withLock { entries in
            guard let entry = entries[search], entry.commit == commit else { return nil }
            return entry.marks.last { $0.offset <= offset }
        }
    }

    func total(of search: UInt64, at commit: UInt64) -> Int? {
        entries.withLock { entries in
            guard let entry = entries[search], entry.commit == commit else { return nil }
            return entry.total
        }
    }

    func remember(total: Int, of search: UInt64, at commit: UInt64) {
        update(search, commit) { $0.total = total }
    }

    func remember(_ place: SearchPlan.Place, at offset: Int, of search: UInt64, at commit: UInt64) {
        update(search, commit) { entry in
            let index = entry.marks.firstIndex { $0.offset >= offset } ?? entry.marks.endIndex
            if index < entry.marks.endIndex, entry.marks[index].offset == offset { return }
            entry.marks.insert((offset, place), at: index)
            // Every other mark goes, so that the rest still covers the whole search.
            if entry.marks.count > Self.maximumMarks {
                entry.marks = entry.marks.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            }
        }
    }

    private func update(_ search: UInt64, _ commit: UInt64, _ change: (inout Entry) -> Void) {
        entries.withLock { entries in
            if entries[search]?.commit != commit {
                if entries.count >= Self.maximumSearches { entries.removeAll() }
                entries[search] = Entry(commit: commit)
            }
            if var entry = entries[search] {
                change(&entry)
                entries[search] = entry
            }
        }
    }
}
