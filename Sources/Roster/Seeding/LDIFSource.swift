import Foundation

/// The rows of an LDIF document.
struct LDIFSource: Sequence, IteratorProtocol, Sendable {
    private var reader: LDIFReader
    let vocabulary: Vocabulary
    let grants: Grants
    let passwordProblem: (@Sendable (_ hash: String) -> String?)?
    var meanings: LDIFMeanings
    var unread = Unread()
    private var isOver = false

    init(_ data: Data, _ options: ImportOptions, _ vocabulary: Vocabulary) throws {
        reader = LDIFReader(data)
        self.vocabulary = vocabulary
        (grants, passwordProblem) = (options.grants, options.passwordProblem)
        meanings = try LDIFMeanings(options, vocabulary)
        var entries = reader
        while true {
            // The rows report values that cannot be read.
            guard let record = try? entries.next() else {
                if entries.isAtEnd { break } else { continue }
            }
            noteSubject(record)
        }
    }

    // MARK: Names

    /// The users and roles whose distinguished name does not say what they are: roles, and users whose name is not in it.
    private var subjects: [String: Subject] = [:]
    private typealias Subject = (name: String, isRole: Bool)

    private mutating func noteSubject(_ record: LDIFRecord) {
        let first = record.firstComponent.first
        let (name, isRole): (String?, Bool)
        switch kind(of: record) {
        case .other: return
        case .role:
            (name, isRole) = (record.attributes.first { $0.name.lowercased() == "cn" }?.text ?? first?.text, true)
        case .user: (name, isRole) = (self.name(of: record), false)
        }
        guard let name, isRole || first?.name.lowercased() != "uid" || first?.text != name,
            let dn = DistinguishedName.key(record.dn)
        else { return }
        subjects[dn] = (name, isRole)
    }

    /// The name of a user: the first one that the record has of the attributes with such names, or else that of the distinguished
    /// name.
    func name(of record: LDIFRecord) -> String? {
        for field in meanings.names {
            let found = record.attributes.first { $0.name.lowercased() == field && $0.text?.isEmpty == false }
            if let text = found?.text { return text }
        }
        return record.firstComponent.first?.text
    }

    /// The user or the role that a distinguished name, or a bare name, represents.
    func subject(_ text: String) -> (name: String, isRole: Bool)? {
        if !subjects.isEmpty, let key = DistinguishedName.key(text), let known = subjects[key] { return known }
        guard text.utf8.contains(UInt8(ascii: "=")), let first = try? DistinguishedName.firstComponent(of: text).first,
            let name = first.text
        else {
            return text.isEmpty ? nil : (text, false)
        }
        return (
            name,
            first.name.lowercased() == "cn" && ["ou=roles", "ou=groups"].contains { text.lowercased().contains($0) }
        )
    }

    // MARK: Rows

    func kind(of record: LDIFRecord) -> LDAPEntryKind {
        var classes: [String] = []
        var accountName: String?
        var hasUID = false
        for attribute in record.attributes {
            switch attribute.name.lowercased() {
            case "objectclass": if let text = attribute.text { classes.append(text.lowercased()) }
            case "samaccountname": accountName = attribute.text
            case "uid": hasUID = true
            default: break
            }
        }
        return LDAPEntryKind(classes: classes, accountName: accountName, hasUID: hasUID)
    }

    mutating func next() -> ImportItem? {
        guard !isOver else { return nil }
        do {
            while let record = try reader.next() {
                switch kind(of: record) {
                case .user: return .row(row(record, isRole: false))
                case .role: return .row(row(record, isRole: true))
                case .other(let kind): unread.otherEntries.note(kind, line: record.line)
                }
            }
        } catch let error as DirectoryError {
            return .unreadable(error, isLast: false)
        } catch {}
        isOver = true
        return .end(unread)
    }
}
