import Roster

/// A search in progress: it finds the entries and sends them.
struct SearchRun {
    /// A part of the tree in which a search finds entries.
    enum Source {
        case fixed(FixedEntry)
        case users(Filter)
        case roles(Filter)
        /// One user or role, which satisfies the filter.
        case user(User)
        case role(Role)

        var isFixed: Bool { if case .fixed = self { true } else { false } }
    }

    let service: LDAPService
    let message: LDAPMessage
    let search: LDAPSearch
    let session: LDAPSession
    let outbox: Outbox
    let requested: RequestedAttributes
    private let deadline: ContinuousClock.Instant
    /// The paged results control of the request.
    private let paging: (size: Int, cookie: [UInt8])?

    /// The control for a search that goes on.
    let persistence: PersistentSearch?
    /// The control for a copy of the entries.
    let sync: ContentSync?
    /// The control for attributes of the entries that an entry names.
    let dereference: Dereference?

    /// The entries that were sent.
    private(set) var sent = 0
    /// The controls of the last answer.
    var controls: [LDAPControl] = []
    /// The order of the entries; empty for none.
    var order = SearchOrder()
    private var pending: [UInt8] = []
    /// The directory with the client's rights, which are looked up for each page of entries.
    private var known: DirectoryView?
    /// Whether the search finds a few entries by a look-up, and runs on the connection's own thread.
    private let isBrief: Bool

    /// The largest page that is read at once.
    private static let pageSize = 500
    private static let briefPageSize = 8
    /// The number of bytes that are sent at once.
    private static let chunk = 64 << 10

    /// - Throws: ``LDAPResult`` for a control that cannot be read.
    init(
        _ service: LDAPService, _ message: LDAPMessage, _ search: LDAPSearch, _ session: LDAPSession, _ outbox: Outbox
    ) throws {
        (self.service, self.message, self.search) = (service, message, search)
        (self.session, self.outbox) = (session, outbox)
        requested = RequestedAttributes(search.attributes)
        isBrief = service.isBrief(message)
        let limit = search.timeLimit > 0 ? min(service.searchTime, .seconds(Int(search.timeLimit))) : service.searchTime
        deadline = .now + limit
        paging = try message.control(SupportedControl.pagedResults).map { control in
            do {
                return try BERReader.reading(control.value ?? []) { reader in
                    try reader.container(BERReader.Tag.sequence) { (Int(try $0.integer()), try $0.octets()) }
                }
            } catch {
                throw LDAPResult(.protocolError, "The control for paged results cannot be read.")
            }
        }
        guard paging.map({ $0.size >= 0 }) ?? true else {
            throw LDAPResult(.protocolError, "A page has a size of at least 0.")
        }
        order = try SearchOrder(message)
        persistence = try message.control(SupportedControl.persistentSearch).map { try PersistentSearch($0) }
        sync = try message.control(SupportedControl.sync).map { try ContentSync($0) }
        dereference = try message.control(SupportedControl.dereference).map { try Dereference($0) }
        if sync != nil, persistence != nil || paging != nil || order.list != nil {
            throw LDAPResult(
                .unwillingToPerform, "Content synchronization goes with no pages and with no other following.")
        }
    }

    mutating func run() async throws -> LDAPResult {
        try await service.checkAssertion(message, at: search.base, in: session)
        if let persistence { return try await follow(persistence) }
        if let sync { return try await synchronize(sync) }
        return try await find()
    }

    /// Sends the entries that are there.
    mutating func find() async throws -> LDAPResult {
        var position = PagedSearches.Position(source: 0, cursor: nil)
        if let paging, !paging.cookie.isEmpty {
            position = try session.pages.take(paging.cookie, for: search, of: session.identity?.dn)
            // A page of the size 0 ends the search (RFC 2696, section 3).
            if paging.size == 0 {
                answerPage(nil)
                return .success
            }
        }
        let result: LDAPResult
        do {
            result = try await send(from: position)
        } catch let error as DirectoryError where error.code == .invalidFilter {
            // A comparison that no attribute of that kind has is Undefined, and selects nobody.
            answerPage(nil)
            result = .success
        } catch {
            // The entries that were found are sent before the error.
            flush()
            throw error
        }
        flush()
        return result
    }

    private mutating func send(from start: PagedSearches.Position) async throws -> LDAPResult {
        known = session.identity == nil ? nil : try service.authenticator.view(of: session)
        defer { known = nil }
        var sources = try await sources()
        if let paging, paging.size == 0, paging.cookie.isEmpty {
            answerPage(nil)
            return .success
        }
        let vocabulary = service.vocabulary
        let sorts = try sorts(of: sources, vocabulary)
        if let list = order.list {
            return try await send(list, of: sources, sortedBy: sorts, vocabulary)
        }
        // Entries without a value come last (RFC 2891).
        if let sort = sorts.first, !sort.isDescending {
            sources = sources.filter { !$0.isFixed } + sources.filter(\.isFixed)
        }
        var position: PagedSearches.Position? = start
        while let current = position, current.source < sources.count {
            // One more than the limit tells whether there are more.
            let room = min(
                isBrief ? Self.briefPageSize : Self.pageSize, paging.map { $0.size - sent } ?? .max,
                search.sizeLimit > 0 ? Int(search.sizeLimit) - sent + 1 : .max)
            guard room > 0 else { break }
            var next: PagedSearches.Position? = PagedSearches.Position(source: current.source + 1, cursor: nil)
            var entries: [LDAPAnswer.Entry] = []
            switch sources[current.source] {
            case .fixed(let entry): entries = [try await counted(entry)]
            case .user(let user):
                entries = [try await entry(user, makers(requested).users)]
            case .role(let role):
                entries = [try await entry(role, makers(requested).roles)]
            case .users(let filter):
                let maker = try makers(requested).users
                let page = try await users(
                    Search(
                        filter, sortedBy: sorts, attributes: maker.selection, pageSize: room,
                        from: current.cursor.map { Search.Start.cursor($0) } ?? .page(1), prefetch: maker.prefetch))
                for user in page.elements { entries.append(try await entry(user, maker)) }
                if let cursor = page.next { next = PagedSearches.Position(source: current.source, cursor: cursor) }
            case .roles(let filter):
                let maker = try makers(requested).roles
                let page = try await view().roles.search(
                    Search(
                        filter, sortedBy: sorts, attributes: maker.selection, pageSize: room,
                        from: current.cursor.map { Search.Start.cursor($0) } ?? .page(1)))
                for role in page.elements { entries.append(try await entry(role, maker)) }
                if let cursor = page.next { next = PagedSearches.Position(source: current.source, cursor: cursor) }
            }
            for entry in entries {
                if search.sizeLimit > 0, sent >= Int(search.sizeLimit) {
                    answerPage(nil)
                    return LDAPResult(.sizeLimitExceeded)
                }
                try await send(entry)
                if ContinuousClock.now > deadline {
                    answerPage(nil)
                    return LDAPResult(.timeLimitExceeded)
                }
            }
            position = next
            if next?.cursor != nil { known = try service.authenticator.view(of: session) }
        }
        answerPage(position.flatMap { $0.source < sources.count ? $0 : nil })
        return .success
    }

    /// An entry of the tree's own, with the number of the entries below a container if the client asks for it.
    private func counted(_ entry: FixedEntry) async throws -> LDAPAnswer.Entry {
        var shown = entry.selecting(requested)
        guard entry.number > 0, requested.includes("numSubordinates", isOperational: true) else { return shown }
        let count: Int
        switch entry.number {
        case FixedEntry.base: count = try hasSudoRoles ? 3 : 2
        case FixedEntry.sudoers: count = try await sudoRoles(matching: .present("cn")).count
        case FixedEntry.people: count = try await view().users.count()
        case FixedEntry.groups: count = try await view().roles.count()
        default: count = 0
        }
        shown.attributes.append(LDAPAttribute(requested.shown("numSubordinates"), "\(count)"))
        return shown
    }

    func view() throws -> DirectoryView { try known ?? service.authenticator.view(of: session) }

    /// The users whom a search finds. The first page of a brief search does not wait in the line of searches.
    private func users(_ search: Search) async throws -> Page<User> {
        guard isBrief, search.start == .page(1) else { return try await view().users.search(search) }
        return try await view().awaitRead(isBrief: true, once: search.prefetch.isEmpty, isNarrow: true) {
            try $0.search.users(search)
        }
    }

    func makers(_ requested: RequestedAttributes) throws -> Makers {
        Makers(tree: service.tree, vocabulary: service.vocabulary, view: try view(), requested: requested)
    }

    // MARK: Sending

    mutating func send(_ entry: LDAPAnswer.Entry, controls: [LDAPControl] = []) async throws {
        try Task.checkCancellation()
        var controls = controls + entry.controls
        // An entry of a copy without a state of its own is there.
        if sync != nil, controls.count == entry.controls.count {
            controls += [ContentSync.state(.add, service.tree.uuids.bytes(entry.number, entry.kind))]
        }
        guard
            let bytes = LDAPAnswer.entry(entry, to: message.id, typesOnly: search.typesOnly, controls: controls)
        else {
            throw LDAPResult(.other, "The server has too little memory.")
        }
        pending += bytes
        sent += 1
        guard pending.count >= Self.chunk else { return }
        flush()
        try await outbox.waitForRoom()
    }

    mutating func flush() {
        guard !pending.isEmpty else { return }
        outbox.add(pending)
        pending = []
    }

    /// Makes the control that every answer to a request for a page has, also if nothing follows: clients fail without it.
    ///
    /// - Parameter position: The start of the next page; nil for none.
    mutating func answerPage(_ position: PagedSearches.Position?) {
        guard paging != nil else { return }
        let cookie = position.map { session.pages.remember(search, of: session.identity?.dn, $0) } ?? []
        var writer = BERWriter()
        writer.container { writer in
            writer.integer(0)
            writer.octets(cookie)
        }
        controls.append(LDAPControl(identifier: SupportedControl.pagedResults, value: writer.finish()))
    }
}
