/// The definitions that a directory refuses, and the changes of a definition.
extension AttributeDefinition {
    /// The names with another meaning in seeds, LDIF and the change feed, in lower case.
    private static let reservedNames: Set<String> = [
        "members", "memberroles", "owners", "ownerroles", "roles", "dn", "changetype", "control", "objectclass",
        "member", "uniquemember", "memberuid", "owner",
    ]

    /// Refuses a definition that no app can declare.
    ///
    /// - Throws: ``DirectoryError`` `invalidAttribute`.
    func checkDeclarable() throws {
        let text = name.rawValue
        let isName =
            text.utf8.count <= 64 && text.first?.isLetter == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        guard isName else {
            throw DirectoryError(
                .invalidAttribute, "\(EntityName.shown(text)) cannot name an attribute.",
                advice: "Use a letter, then letters, digits, '-' and '_', at most 64.", attribute: name)
        }
        guard !Self.reservedNames.contains(text.lowercased()) else {
            throw DirectoryError(
                .invalidAttribute, "'\(name)' has another meaning in seeds, LDIF or the change feed.",
                advice: "Choose another name.", attribute: name)
        }
        guard writers != .nobody else {
            throw DirectoryError(
                .invalidAttribute, "'\(name)' has no writers, so it could have no value.",
                advice: "Let administrators write the attribute.", attribute: name)
        }
        guard kind != .complex else {
            throw DirectoryError(
                .invalidAttribute, "'\(name)' cannot be complex.", advice: "Declare its parts one by one.",
                attribute: name)
        }
        // Decoded definitions can have parts that no app gives.
        guard names.isEmpty, element == nil, isReturnedOnRequest == (kind == .binary), isIndexed || !isUnique else {
            throw DirectoryError(
                .invalidAttribute, "'\(name)' is defined as only built-in attributes can be.",
                advice: "Make the definition with the initializer of AttributeDefinition.", attribute: name)
        }
        try checkRulesFit()
        try texts.check(of: name)
    }

    /// Refuses a change that could lose stored values.
    func checkWidening(to new: AttributeDefinition) throws {
        func refuse(_ problem: String, _ advice: String) -> DirectoryError {
            DirectoryError(.invalidAttribute, "'\(name)' \(problem).", advice: advice, attribute: name)
        }
        guard new.isMultiValued || !isMultiValued else {
            throw refuse(
                "has several values and cannot be limited to one value again",
                "Declare another attribute, and copy the values that you want to keep.")
        }
        let isWider =
            switch (kind, new.kind) {
            case let (old, new) where old == new: true
            case (.integer, .decimal), (.integer, .string), (.decimal, .string), (.boolean, .string), (.time, .string):
                true
            default: false
            }
        guard isWider else {
            throw refuse(
                "is \(kind.rawValue) and cannot become \(new.kind.rawValue), since values could be lost",
                "Whole numbers can become decimals. All values except binary ones can become text.")
        }
    }

    /// Returns a copy of the definition with other readers and writers.
    func with(readers: Readers, writers: Writers) -> AttributeDefinition {
        var definition = self
        definition.readers = readers
        definition.writers = writers
        return definition
    }

    /// The attributes that decide who can sign in and with which rights. Users never write them.
    private static let neverByPersons: Set<AttributeName> = [
        "emails", "mail", "employeeNumber", "entitlements", "x509Certificates",
    ]

    /// Refuses rights that would reveal a secret, let users change who can sign in, or make an attribute unusable.
    func check(readers: Readers?, writers: Writers?, isDeclared: Bool) throws {
        func refuse(_ problem: String, _ advice: String) -> DirectoryError {
            DirectoryError(.invalidAttribute, "'\(name)' \(problem).", advice: advice, attribute: name)
        }
        if StandardAttributes.isSystem(name, of: entity) {
            throw refuse(
                "is maintained by the directory, so that its readers and writers are fixed", "Choose another attribute."
            )
        }
        if let readers, readers != self.readers, readers == .nobody || self.readers == .nobody {
            throw refuse(
                self.readers == .nobody ? "is a secret and stays one" : "cannot be made a secret",
                "Declare an attribute of your own.")
        }
        if writers == .nobody { throw refuse("would not be writable", "Let administrators write it.") }
        if writers == .person, Self.neverByPersons.contains(name), !isDeclared {
            throw refuse(
                "decides who can sign in, so that users cannot write their own", "Let administrators write it.")
        }
        if entity == .role, writers == .person || readers == .person || readers == .managers {
            throw refuse(
                "belongs to a role, which has no manager and cannot sign in",
                "Roles take the readers administrators and signedIn, and the writers administrators.")
        }
    }
}
