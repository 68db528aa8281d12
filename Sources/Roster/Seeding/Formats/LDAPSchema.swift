/// The attributes of the standard schemas (core, cosine and inetorgperson) that an export for an LDAP server uses, and its own schema.
package enum LDAPSchema {
    /// The forms of values that LDAP servers check.
    enum Syntax {
        case text, ia5, telephone, country, jpeg

        /// Whether a server takes a text as a value of this form.
        func allows(_ text: String) -> Bool {
            guard !text.isEmpty, !text.utf8.contains(0) else { return false }
            switch self {
            case .text: return true
            case .ia5: return text.utf8.allSatisfy { $0 < 0x80 }
            case .telephone:
                return text.utf8.contains(where: Self.isLetterOrDigit)
                    && text.utf8.allSatisfy { Self.isLetterOrDigit($0) || "'()+,-./:? =".utf8.contains($0) }
            case .country:
                return text.utf8.count == 2 && text.utf8.allSatisfy { $0 >= 0x41 && Self.isLetterOrDigit($0) }
            case .jpeg: return false
            }
        }

        private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
            (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
        }
    }

    /// The attributes of inetOrgPerson, and of ``rosterEntry``, that an export writes for a user.
    static let user: [String: Syntax] = [
        "givenName": .text, "sn": .text, "cn": .text, "displayName": .text, "initials": .text, "description": .text,
        "title": .text, "employeeType": .text, "labeledURI": .text, "preferredLanguage": .text, "employeeNumber": .text,
        "o": .text, "ou": .text, "departmentNumber": .text, "postOfficeBox": .text, "generationQualifier": .text,
        "mail": .ia5, "telephoneNumber": .telephone, "mobile": .telephone, "homePhone": .telephone,
        "facsimileTelephoneNumber": .telephone, "pager": .telephone, "street": .text, "l": .text, "st": .text,
        "postalCode": .text, "c": .country, "jpegPhoto": .jpeg,
    ]

    /// The attributes of groupOfNames, and of ``rosterEntry``, that an export writes for a role.
    static let role: [String: Syntax] = [
        "description": .text, "o": .text, "businessCategory": .text, "displayName": .text, "mail": .ia5,
    ]

    /// The auxiliary object class of every exported user and role.
    static let rosterEntry = "rosterEntry"
    /// The attribute whose values are JSON objects with one member: the attribute and its whole value.
    static let rosterAttribute = "rosterAttribute"
    /// The attribute that names attributes without a value, of which the entry has a value only because LDAP demands one.
    static let rosterUnset = "rosterUnset"

    /// The attributes that servers maintain themselves, in lower case. An import does not report them.
    static let operational: Set<String> = [
        "structuralobjectclass", "entrycsn", "entrydn", "creatorsname", "modifiersname", "subschemasubentry",
        "hassubordinates", "numsubordinates", "contextcsn", "entryuuid", "createtimestamp", "modifytimestamp",
    ]

    /// The schema as an entry below `cn=schema,cn=config` of OpenLDAP. Its object identifiers are below 2.25 and a random UUID.
    package static let configuration = """
        dn: cn=roster,cn=schema,cn=config
        objectClass: olcSchemaConfig
        cn: roster
        olcAttributeTypes: ( 2.25.139318241319835732807429614028365860847.1.1
          NAME 'rosterAttribute'
          DESC 'JSON object with one member: an attribute of Roster and its value'
          EQUALITY caseExactMatch
          SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
        olcAttributeTypes: ( 2.25.139318241319835732807429614028365860847.1.2
          NAME 'rosterUnset'
          DESC 'Attribute of Roster whose value here is only a placeholder'
          EQUALITY caseExactMatch
          SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
        olcObjectClasses: ( 2.25.139318241319835732807429614028365860847.2.1
          NAME 'rosterEntry'
          DESC 'User or role of Roster'
          SUP top AUXILIARY
          MAY ( rosterAttribute $ rosterUnset $ c $ generationQualifier $ displayName $ mail $ member $ owner ) )

        """
}
