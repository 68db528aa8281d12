import Roster

/// The comparisons with the attributes that ``PosixView`` computes.
extension FilterTranslator {
    /// The comparison with a computed attribute; nil for all other attributes, and for a server without POSIX accounts.
    func posix(_ name: String, _ comparison: Comparison) -> FilterTerm? {
        guard let settings = tree.posix else { return nil }
        let isUser = entity == .user
        let computed: FilterTerm
        switch name {
        case "uidnumber" where isUser, "gidnumber": computed = numbered(settings, comparison)
        case "homedirectory" where isUser: computed = home(settings, comparison)
        case "loginshell" where isUser: computed = constant(comparison, [settings.shell])
        default: return nil
        }
        guard let declared = tree.shown.attributes(vocabulary, entity).posix[name] else { return computed }
        if comparison.isPresence { return .always }
        // The value of the declared attribute counts, where there is one.
        let path = AttributePath(declared)
        return .or([parsed(name, comparison.text), .and([.not(.known(.present(path))), computed])])
    }

    /// The comparison with the number of an entry.
    private func numbered(_ settings: PosixNumbering, _ comparison: Comparison) -> FilterTerm {
        switch comparison {
        case .present: return .always
        case .equal:
            guard let number = comparison.value.flatMap({ Int64($0) }) else { return .undefined }
            let (id, overflows) = number.subtractingReportingOverflow(settings.firstNumber)
            guard !overflows, id > 0 else { return .never }
            return .known(AttributePath("id").equals(.string(UserID(rawValue: id).description)))
        case .ordered(let symbol, let value):
            // The numbers have an order, which no index of the directory has. Clients compare with the limits of the range.
            guard let number = String(validating: value, as: UTF8.self).flatMap({ Int64($0) }) else {
                return .undefined
            }
            guard number <= settings.firstNumber else { return .undefined }
            return symbol == ">=" ? .always : .never
        case .substrings: return .undefined
        }
    }

    private func home(_ settings: PosixNumbering, _ comparison: Comparison) -> FilterTerm {
        if comparison.isPresence { return .always }
        guard let text = comparison.value else { return .undefined }
        let pieces = settings.home.split(separator: "%u", omittingEmptySubsequences: false)
        guard pieces.count == 2 else { return constant(comparison, [settings.home]) }
        guard text.hasPrefix(pieces[0]), text.hasSuffix(pieces[1]), text.count > pieces[0].count + pieces[1].count
        else {
            return .never
        }
        return .known(Filter.uid.equals(.string(String(text.dropFirst(pieces[0].count).dropLast(pieces[1].count)))))
    }

    /// Whether entries have an auxiliary class; nil for all other classes.
    func posixClass(_ name: String) -> FilterTerm? {
        let declared = tree.shown.attributes(vocabulary, entity).posix
        func has(_ names: String...) -> FilterTerm {
            .and(names.map { name in declared[name].map { .known(.present(AttributePath($0))) } ?? .never })
        }
        switch (name, entity) {
        case ("posixaccount", .user):
            return tree.posix != nil ? .always : has("uidnumber", "gidnumber", "homedirectory")
        case ("posixgroup", .role): return tree.posix != nil ? .always : has("gidnumber")
        case ("ldappublickey", .user): return has("sshpublickey")
        default: return nil
        }
    }
}
