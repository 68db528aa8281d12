/// The results of a search. A loop over the results reads one page after the other; each loop begins with the first page. Synchronous
/// code calls ``forEach(_:)``.
public struct SearchResults<Element: Sendable>: AsyncSequence, Sendable {
    private let search: Search
    private let page: @Sendable (Search) async throws -> Page<Element>

    private let pageAtOnce: @Sendable (Search) throws -> Page<Element>

    /// - Parameter pageAtOnce: Reads a page on the caller's thread.
    init(
        _ search: Search, _ page: @escaping @Sendable (Search) async throws -> Page<Element>,
        atOnce pageAtOnce: @escaping @Sendable (Search) throws -> Page<Element>
    ) {
        self.search = search
        self.page = page
        self.pageAtOnce = pageAtOnce
    }

    /// Passes each result to a closure, on the caller's thread, as in `try view.users.all(Search(.active)).forEach { … }`. The closure
    /// ends the loop by an error.
    ///
    /// - Throws: What the search and the closure throw.
    public func forEach(_ body: (Element) throws -> Void) throws {
        var search: Search? = search
        while var next = search {
            let page = try pageAtOnce(next)
            for element in page.elements { try body(element) }
            let start = page.next.map { Search.Start.cursor($0) }
            // With the same cursor again, the loop would never end.
            guard start == nil || start != next.start else { throw DirectoryError.badAnswer }
            next.start = start ?? next.start
            search = start == nil ? nil : next
        }
    }

    /// Goes through the results.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var search: Search?
        private let page: @Sendable (Search) async throws -> Page<Element>
        private var elements: [Element] = []
        private var position = 0

        fileprivate init(_ search: Search, _ page: @escaping @Sendable (Search) async throws -> Page<Element>) {
            self.search = search
            self.page = page
        }

        /// The next result; nil after the last one.
        ///
        /// - Throws: What the search throws, or `CancellationError`.
        public mutating func next() async throws -> Element? {
            while position == elements.count {
                guard var search else { return nil }
                let page = try await page(search)
                let next = page.next.map { Search.Start.cursor($0) }
                // With the same cursor again, the loop would never end.
                guard next == nil || next != search.start else { throw DirectoryError.badAnswer }
                search.start = next ?? search.start
                self.search = page.next == nil ? nil : search
                (elements, position) = (page.elements, 0)
            }
            defer { position += 1 }
            return elements[position]
        }
    }

    /// Begins a loop.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(search, page) }
}
