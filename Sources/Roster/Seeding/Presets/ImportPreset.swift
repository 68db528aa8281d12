/// A product whose exports an import reads without `columns`: where each field goes, what is left out, and how managers are named.
///
/// Fields are found without regard to case, to a note in brackets behind the name (`Status [READ ONLY]`) and to a `user.` or `profile.`
/// before it. <doc:FieldsOfProducts> has a table for each product.
public enum ImportPreset: String, Sendable, Hashable, CaseIterable {
    /// Active Directory: LDIF of `ldifde` or `ldapsearch`, CSV of `csvde` or of `Get-ADUser -Properties * | Export-Csv`.
    case activeDirectory = "active-directory"
    /// 389 Directory Server: LDIF of `dsctl db2ldif` or `ldapsearch`.
    case directoryServer389 = "389-ds"
    /// OpenLDAP: LDIF of `slapcat` or `ldapsearch`.
    case openLDAP = "openldap"
    /// lldap: LDIF of `ldapsearch`.
    case lldap
    /// FreeIPA: LDIF of `ldapsearch`.
    case freeIPA = "freeipa"
    /// Google Workspace: the CSV of *Download users*.
    case google
    /// Okta: the CSV of its people.
    case okta
    /// Microsoft Entra ID: the CSV of *Download users*.
    case entra
    /// BambooHR: the CSV of a report.
    case bambooHR = "bamboohr"
    /// Personio: the CSV of a list of employees.
    case personio
    /// Workday: the CSV of a report of workers.
    case workday

    /// The attribute by which the product's exports name managers.
    public var managersBy: AttributeName { table.managersBy }

    /// An attribute, and the fields from which it comes. The first field that has a value counts.
    struct Source: Sendable {
        let attribute: AttributeName
        let fields: [String]

        init(_ attribute: AttributeName, _ fields: String...) { (self.attribute, self.fields) = (attribute, fields) }
    }

    /// What an import knows about the exports of a product.
    struct Table: Sendable {
        var managersBy: AttributeName = "uid"
        let sources: [Source]
        /// The fields that the directory has no use for, as ``FieldPatterns`` reads them.
        let skipped: [String]
    }

    var table: Table {
        switch self {
        case .activeDirectory: Self.activeDirectoryTable
        case .directoryServer389: Self.directoryServer389Table
        case .openLDAP: Self.openLDAPTable
        case .lldap: Self.lldapTable
        case .freeIPA: Self.freeIPATable
        case .google: Self.googleTable
        case .okta: Self.oktaTable
        case .entra: Self.entraTable
        case .bambooHR: Self.bambooHRTable
        case .personio: Self.personioTable
        case .workday: Self.workdayTable
        }
    }

    /// The name of a field without what exports add to it, in lower case.
    static func plainName(of field: String) -> String {
        var name = field.lowercased()[...]
        if let bracket = name.firstIndex(of: "[") { name = name[..<bracket] }
        for beginning in ["user.", "profile."] where name.hasPrefix(beginning) {
            name = name.dropFirst(beginning.count)
        }
        while name.last == " " { name.removeLast() }
        return String(name)
    }
}
