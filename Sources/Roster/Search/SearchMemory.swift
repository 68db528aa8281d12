import Synchronization
import RosterText

/// What recent searches found out, for as long as nothing is written: where their pages ended and how many there are
/// in all. So a page by its position does not count through all the pages before it, and totals are counted once.
final class SearchMemory: Sendable {
    private struct Entry {
        var commit: UInt64
        var total: Int?
        /// In the order of offsets.
        var marks: [(offset: Int, place: SearchPlan.Place)] = []
    }
    private static let maximumSearches = 256
    private static let maximumMarks = 256

    private let entries = Locked<[UInt64: Entry]>([:])

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
            // Every other one goes, so that what is left still covers the whole search.
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
