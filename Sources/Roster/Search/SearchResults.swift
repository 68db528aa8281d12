/// The results of a search. A loop over the results reads one page after the other; each loop begins with the first page.
public struct SearchResults<Element: Sendable>: AsyncSequence, Sendable {
    private let search: Search
    private let page: @Sendable (Search) async throws -> Page<Element>

    init(_ search: Search, _ page: @escaping @Sendable (Search) async throws -> Page<Element>) {
        self.search = search
        self.page = page
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
