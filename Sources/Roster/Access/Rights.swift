/// What a caller may do: decided here and nowhere else.
struct Rights: Sendable {
    let caller: Caller

    /// The user that the caller is; nil for an administrator.
    private var person: UserID? {
        if case .user(let id) = caller { return id }
        return nil
    }

    private var isAdministrator: Bool {
        if case .administrator = caller { return true }
        return false
    }

    /// Refuses whoever has not signed in, or is disabled or deleted since.
    func checkSignedIn(_ session: Session) throws {
        switch caller {
        case .administrator: return
        case .nobody:
            throw DirectoryError(.notPermitted, "Nobody is signed in.", advice: "Sign in first.")
        case .user(let id):
            let isActive = try session.connection.first(UserStatements.isActive, [.integer(id.rawValue)]) {
                $0.boolean(0)
            }
            guard isActive == true else {
                throw DirectoryError(.notPermitted, "The account is disabled or does not exist any more.")
            }
        }
    }

    /// Refuses everyone but administrators.
    func checkAdministrator(to action: String) throws {
        guard isAdministrator else {
            throw DirectoryError(
                .notPermitted, "Only an administrator may \(action).", advice: "Ask one, or sign in as one.")
        }
    }

    /// Refuses a change of attributes that the caller may not write. (Who may not even know of the user has been
    /// told so before.)
    func checkWriting(_ definitions: some Sequence<AttributeDefinition>, of user: UserID) throws {
        if isAdministrator { return }
        for definition in definitions {
            guard person == user, definition.writers == .person else {
                throw DirectoryError(
                    .notPermitted,
                    "The caller may not change '\(definition.name)' of \(person == user ? "their own" : "that") account.",
                    advice: "Ask an administrator.", attribute: definition.name)
            }
        }
    }

    /// Whether everything that is not secret may be read of everyone, so that nothing has to be taken away.
    var readsEverything: Bool { isAdministrator }

    /// Whether an attribute may stand in a filter or a sort order: only what may be read of everyone who can be found.
    /// Otherwise the answer to a filter would tell what may not be read.
    func maySearch(_ definition: AttributeDefinition) -> Bool {
        definition.readers >= (isAdministrator ? .administrators : .signedIn)
    }

    /// The circle of readers that the caller belongs to, as far as this user goes.
    func circle(of user: borrowing User, in session: Session) throws -> AttributeDefinition.Readers {
        if isAdministrator { return .administrators }
        guard let person else { return .signedIn }
        if user.id == person { return .person }
        guard let manager = user.managerID else { return .signedIn }
        if manager == person { return .managers }
        return try session.isAbove(person, manager) ? .managers : .signedIn
    }
}
