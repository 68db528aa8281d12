import RosterStore

/// The embedded directory and the caller of a view.
final class EmbeddedView: Sendable {
    let core: DirectoryCore
    let caller: Caller
    /// The proof of the request that a person is present or that a program acts.
    let presence: Presence
    /// The transaction in which the view reads and changes; nil for a view of the committed directory.
    let open: OpenTransaction?
    /// Takes notes of filters that read everybody; nil if nobody wants to know.
    let notes: SearchNotes?
    /// The view gives this delegate to its managers, users and roles. Nil means that they have no delegate.
    let delegateReference: DelegateReference?
    /// The number of the batch to which the view's changes belong; nil for none.
    let batch: Int64?

    init(
        core: DirectoryCore, caller: Caller, presence: Presence = .local, open: OpenTransaction? = nil,
        notes: SearchNotes? = nil, delegateReference: DelegateReference? = nil, batch: Int64? = nil
    ) {
        self.batch = batch
        self.notes = notes
        self.delegateReference = delegateReference
        self.core = core
        self.caller = caller
        self.presence = presence
        self.open = open
    }

    /// The same view, whose changes carry the number of a batch.
    func batched(_ number: Int64) -> EmbeddedView {
        EmbeddedView(
            core: core, caller: caller, presence: presence, open: open, notes: notes,
            delegateReference: delegateReference, batch: number)
    }

    /// The known attributes.
    var vocabulary: Vocabulary { open?.vocabulary ?? core.vocabulary }

    /// Takes over a changed vocabulary, at once or with the commit of the open transaction.
    func adopt(_ vocabulary: Vocabulary) {
        if let open { open.vocabulary = vocabulary } else { core.adopt(vocabulary) }
    }

    func purpose(_ isBrief: Bool) -> ReaderPool.Purpose { isBrief ? .lookUp : .search(caller.requester) }
}
