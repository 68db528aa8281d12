/// The entries of the change feed about users to erase, as a look before the change found them. The look reads the whole feed, so that
/// the change need not while others wait for it.
struct FoundEntries: Sendable {
    /// The entries of the change feed that concern one user.
    struct Entries: Sendable {
        /// The entries about the user.
        var sequences: [Int64] = []
        /// The entries whose actor is the user, who is a virtual one.
        var acted: [Int64] = []
        /// The name under which the feed shows the user, who is a virtual one, as an actor.
        var actor: String?
        /// The names and addresses that sign-ins of the user may have used.
        var names: Set<String> = []
        var isEmpty: Bool { sequences.isEmpty && acted.isEmpty }
    }

    /// The last entry at the time of the look.
    let through: Int64
    var entries: [UserID: Entries] = [:]
    var names: Set<String> = []
    /// The entries about refused sign-ins under one of the names.
    var refusals: [Int64] = []
}
