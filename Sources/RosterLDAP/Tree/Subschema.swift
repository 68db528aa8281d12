import Roster

/// The entry `cn=Subschema` (RFC 4512, section 4.2). It describes every attribute and class that an entry carries, because python-ldap,
/// ldap3 and LDAP browsers refuse attributes and classes that the schema does not describe.
enum Subschema {
    /// The identifiers of our own attributes and classes are below 2.25 and a random UUID, as those of the LDIF export.
    private static let arc = "2.25.139318241319835732807429614028365860847"

    enum Syntax: String {
        case text = "1.3.6.1.4.1.1466.115.121.1.15"
        case ia5 = "1.3.6.1.4.1.1466.115.121.1.26"
        case name = "1.3.6.1.4.1.1466.115.121.1.12"
        case identifier = "1.3.6.1.4.1.1466.115.121.1.38"
        case integer = "1.3.6.1.4.1.1466.115.121.1.27"
        case boolean = "1.3.6.1.4.1.1466.115.121.1.7"
        case time = "1.3.6.1.4.1.1466.115.121.1.24"
        case telephone = "1.3.6.1.4.1.1466.115.121.1.50"
        case country = "1.3.6.1.4.1.1466.115.121.1.11"
        case jpeg = "1.3.6.1.4.1.1466.115.121.1.28"
        case octets = "1.3.6.1.4.1.1466.115.121.1.40"
        case uuid = "1.3.6.1.1.16.1"
        case description = "1.3.6.1.4.1.1466.115.121.1.3"
        case classDescription = "1.3.6.1.4.1.1466.115.121.1.37"
        case ruleDescription = "1.3.6.1.4.1.1466.115.121.1.30"
        case syntaxDescription = "1.3.6.1.4.1.1466.115.121.1.54"

        /// The matching rules for equality, order and substrings.
        var rules: String {
            switch self {
            case .text: " EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch"
            case .ia5: " EQUALITY caseIgnoreIA5Match SUBSTR caseIgnoreIA5SubstringsMatch"
            case .name: " EQUALITY distinguishedNameMatch"
            case .identifier: " EQUALITY objectIdentifierMatch"
            case .integer: " EQUALITY integerMatch ORDERING integerOrderingMatch"
            case .boolean: " EQUALITY booleanMatch"
            case .time: " EQUALITY generalizedTimeMatch ORDERING generalizedTimeOrderingMatch"
            case .telephone: " EQUALITY telephoneNumberMatch SUBSTR telephoneNumberSubstringsMatch"
            case .country: " EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch"
            case .octets: " EQUALITY octetStringMatch"
            case .uuid: " EQUALITY UUIDMatch ORDERING UUIDOrderingMatch"
            case .jpeg: ""
            case .description, .classDescription, .ruleDescription, .syntaxDescription:
                " EQUALITY objectIdentifierFirstComponentMatch"
            }
        }

        var name: String {
            switch self {
            case .text: "Directory String"
            case .ia5: "IA5 String"
            case .name: "DN"
            case .identifier: "OID"
            case .integer: "INTEGER"
            case .boolean: "Boolean"
            case .time: "Generalized Time"
            case .telephone: "Telephone Number"
            case .country: "Country String"
            case .jpeg: "JPEG"
            case .octets: "Octet String"
            case .uuid: "UUID"
            case .description: "Attribute Type Description"
            case .classDescription: "Object Class Description"
            case .ruleDescription: "Matching Rule Description"
            case .syntaxDescription: "LDAP Syntax Description"
            }
        }

        static let all: [Syntax] = [
            .text, .ia5, .name, .identifier, .integer, .boolean, .time, .telephone, .country, .jpeg, .octets, .uuid,
            .description, .classDescription, .ruleDescription, .syntaxDescription,
        ]
    }

    /// The matching rules, and the syntax of the values that they are asked for.
    private static let rules: [(oid: String, name: String, syntax: Syntax)] = [
        ("2.5.13.0", "objectIdentifierMatch", .identifier), ("2.5.13.1", "distinguishedNameMatch", .name),
        ("2.5.13.2", "caseIgnoreMatch", .text), ("2.5.13.4", "caseIgnoreSubstringsMatch", .text),
        ("2.5.13.5", "caseExactMatch", .text), ("2.5.13.13", "booleanMatch", .boolean),
        ("2.5.13.14", "integerMatch", .integer), ("2.5.13.15", "integerOrderingMatch", .integer),
        ("2.5.13.17", "octetStringMatch", .octets), ("2.5.13.20", "telephoneNumberMatch", .telephone),
        ("2.5.13.21", "telephoneNumberSubstringsMatch", .telephone), ("2.5.13.27", "generalizedTimeMatch", .time),
        ("2.5.13.28", "generalizedTimeOrderingMatch", .time),
        ("2.5.13.30", "objectIdentifierFirstComponentMatch", .identifier),
        ("1.3.6.1.4.1.1466.109.114.2", "caseIgnoreIA5Match", .ia5),
        ("1.3.6.1.4.1.1466.109.114.3", "caseIgnoreIA5SubstringsMatch", .ia5),
        ("1.3.6.1.1.16.2", "UUIDMatch", .uuid), ("1.3.6.1.1.16.3", "UUIDOrderingMatch", .uuid),
    ]

    /// Whether a matching rule, by its name or identifier, tests for equality.
    static func isEquality(_ rule: String) -> Bool {
        rules.contains { own in
            (own.oid == rule || own.name.lowercased() == rule.lowercased())
                && !["ordering", "substrings"].contains { own.name.lowercased().contains($0) }
        }
    }

    struct Attribute {
        let oid: String
        let name: String
        let syntax: Syntax
        var isSingle = false
        var isOperational = false

        /// The description as the schema has it (RFC 4512, section 4.1.2).
        var description: String {
            var text = "( \(oid) NAME '\(name)'\(syntax.rules) SYNTAX \(syntax.rawValue)"
            if isSingle { text += " SINGLE-VALUE" }
            if isOperational { text += " NO-USER-MODIFICATION USAGE directoryOperation" }
            return text + " )"
        }
    }

    /// The attributes of the standards that entries carry.
    private static let standard: [Attribute] = [
        .init(oid: "2.5.4.0", name: "objectClass", syntax: .identifier),
        .init(oid: "0.9.2342.19200300.100.1.1", name: "uid", syntax: .text),
        .init(oid: "2.5.4.3", name: "cn", syntax: .text), .init(oid: "2.5.4.4", name: "sn", syntax: .text),
        .init(oid: "2.5.4.42", name: "givenName", syntax: .text),
        .init(oid: "2.16.840.1.113730.3.1.241", name: "displayName", syntax: .text, isSingle: true),
        .init(oid: "2.5.4.43", name: "initials", syntax: .text),
        .init(oid: "2.5.4.13", name: "description", syntax: .text),
        .init(oid: "2.5.4.12", name: "title", syntax: .text),
        .init(oid: "2.16.840.1.113730.3.1.4", name: "employeeType", syntax: .text),
        .init(oid: "1.3.6.1.4.1.250.1.57", name: "labeledURI", syntax: .text),
        .init(oid: "2.16.840.1.113730.3.1.39", name: "preferredLanguage", syntax: .text, isSingle: true),
        .init(oid: "2.16.840.1.113730.3.1.3", name: "employeeNumber", syntax: .text, isSingle: true),
        .init(oid: "2.5.4.10", name: "o", syntax: .text), .init(oid: "2.5.4.11", name: "ou", syntax: .text),
        .init(oid: "2.16.840.1.113730.3.1.2", name: "departmentNumber", syntax: .text),
        .init(oid: "2.5.4.18", name: "postOfficeBox", syntax: .text),
        .init(oid: "2.5.4.44", name: "generationQualifier", syntax: .text),
        .init(oid: "0.9.2342.19200300.100.1.3", name: "mail", syntax: .ia5),
        .init(oid: "2.5.4.20", name: "telephoneNumber", syntax: .telephone),
        .init(oid: "0.9.2342.19200300.100.1.41", name: "mobile", syntax: .telephone),
        .init(oid: "0.9.2342.19200300.100.1.20", name: "homePhone", syntax: .telephone),
        .init(oid: "2.5.4.23", name: "facsimileTelephoneNumber", syntax: .telephone),
        .init(oid: "0.9.2342.19200300.100.1.42", name: "pager", syntax: .telephone),
        .init(oid: "2.5.4.16", name: "postalAddress", syntax: .text),
        .init(oid: "0.9.2342.19200300.100.1.39", name: "homePostalAddress", syntax: .text),
        .init(oid: "2.5.4.9", name: "street", syntax: .text), .init(oid: "2.5.4.7", name: "l", syntax: .text),
        .init(oid: "2.5.4.8", name: "st", syntax: .text), .init(oid: "2.5.4.17", name: "postalCode", syntax: .text),
        .init(oid: "2.5.4.6", name: "c", syntax: .country, isSingle: true),
        .init(oid: "0.9.2342.19200300.100.1.60", name: "jpegPhoto", syntax: .jpeg),
        .init(oid: "0.9.2342.19200300.100.1.10", name: "manager", syntax: .name),
        .init(oid: "2.5.4.35", name: "userPassword", syntax: .octets),
        .init(oid: "2.5.4.15", name: "businessCategory", syntax: .text),
        .init(oid: "2.5.4.31", name: "member", syntax: .name),
        .init(oid: "2.5.4.50", name: "uniqueMember", syntax: .name),
        .init(oid: "1.3.6.1.1.1.1.12", name: "memberUid", syntax: .ia5),
        .init(oid: "2.5.4.32", name: "owner", syntax: .name),
        .init(oid: "1.3.6.1.1.1.1.0", name: "uidNumber", syntax: .integer, isSingle: true),
        .init(oid: "1.3.6.1.1.1.1.1", name: "gidNumber", syntax: .integer, isSingle: true),
        .init(oid: "1.3.6.1.1.1.1.2", name: "gecos", syntax: .text, isSingle: true),
        .init(oid: "1.3.6.1.1.1.1.3", name: "homeDirectory", syntax: .ia5, isSingle: true),
        .init(oid: "1.3.6.1.1.1.1.4", name: "loginShell", syntax: .ia5, isSingle: true),
        .init(oid: "1.3.6.1.4.1.24552.500.1.1.1.13", name: "sshPublicKey", syntax: .octets),
        .init(oid: "1.3.6.1.4.1.15953.9.1.1", name: "sudoUser", syntax: .ia5),
        .init(oid: "1.3.6.1.4.1.15953.9.1.2", name: "sudoHost", syntax: .ia5),
        .init(oid: "1.3.6.1.4.1.15953.9.1.3", name: "sudoCommand", syntax: .ia5),
        .init(oid: "1.3.6.1.4.1.15953.9.1.5", name: "sudoOption", syntax: .ia5),
        .init(oid: "1.3.6.1.4.1.15953.9.1.6", name: "sudoRunAsUser", syntax: .ia5),
        .init(oid: "1.3.6.1.4.1.15953.9.1.7", name: "sudoRunAsGroup", syntax: .ia5),
        .init(oid: "1.3.6.1.4.1.15953.9.1.8", name: "sudoNotBefore", syntax: .time),
        .init(oid: "1.3.6.1.4.1.15953.9.1.9", name: "sudoNotAfter", syntax: .time),
        .init(oid: "1.3.6.1.4.1.15953.9.1.10", name: "sudoOrder", syntax: .integer),
        .init(oid: "0.9.2342.19200300.100.1.25", name: "dc", syntax: .ia5, isSingle: true),
        .init(oid: "1.2.840.113556.1.2.102", name: "memberOf", syntax: .name, isOperational: true),
        .init(oid: "1.3.6.1.4.1.5923.1.5.1.1", name: "isMemberOf", syntax: .name),
        .init(oid: "1.2.840.113556.1.2.436", name: "directReports", syntax: .name),
        .init(oid: "1.2.840.113556.1.4.221", name: "sAMAccountName", syntax: .text, isSingle: true),
        .init(oid: "1.2.840.113556.1.4.656", name: "userPrincipalName", syntax: .text, isSingle: true),
        .init(oid: "1.2.840.113556.1.4.8", name: "userAccountControl", syntax: .integer, isSingle: true),
        .init(oid: "1.2.840.113556.1.4.782", name: "objectCategory", syntax: .text, isSingle: true),
        .init(oid: "1.3.6.1.1.16.4", name: "entryUUID", syntax: .uuid, isSingle: true, isOperational: true),
        .init(oid: "1.3.6.1.1.20", name: "entryDN", syntax: .name, isSingle: true, isOperational: true),
        .init(oid: "2.5.18.1", name: "createTimestamp", syntax: .time, isSingle: true, isOperational: true),
        .init(oid: "2.5.18.2", name: "modifyTimestamp", syntax: .time, isSingle: true, isOperational: true),
        .init(oid: "2.5.21.9", name: "structuralObjectClass", syntax: .identifier, isSingle: true, isOperational: true),
        .init(oid: "2.5.18.9", name: "hasSubordinates", syntax: .boolean, isSingle: true, isOperational: true),
        .init(
            oid: "1.3.6.1.4.1.453.16.2.103", name: "numSubordinates", syntax: .integer, isSingle: true,
            isOperational: true),
        .init(oid: "2.5.18.10", name: "subschemaSubentry", syntax: .name, isSingle: true, isOperational: true),
        .init(oid: "1.3.6.1.4.1.1466.101.120.5", name: "namingContexts", syntax: .name, isOperational: true),
        .init(oid: arc + ".1.10", name: "defaultNamingContext", syntax: .name, isSingle: true, isOperational: true),
        .init(oid: "1.3.6.1.4.1.1466.101.120.15", name: "supportedLDAPVersion", syntax: .integer, isOperational: true),
        .init(oid: "1.3.6.1.4.1.1466.101.120.13", name: "supportedControl", syntax: .identifier, isOperational: true),
        .init(oid: "1.3.6.1.4.1.1466.101.120.7", name: "supportedExtension", syntax: .identifier, isOperational: true),
        .init(oid: "1.3.6.1.4.1.4203.1.3.5", name: "supportedFeatures", syntax: .identifier, isOperational: true),
        .init(oid: "1.3.6.1.4.1.1466.101.120.14", name: "supportedSASLMechanisms", syntax: .text, isOperational: true),
        .init(oid: "1.3.6.1.1.4", name: "vendorName", syntax: .text, isSingle: true, isOperational: true),
        .init(oid: "1.3.6.1.1.5", name: "vendorVersion", syntax: .text, isSingle: true, isOperational: true),
        .init(oid: "2.5.21.5", name: "attributeTypes", syntax: .description, isOperational: true),
        .init(oid: "2.5.21.6", name: "objectClasses", syntax: .classDescription, isOperational: true),
        .init(oid: "2.5.21.4", name: "matchingRules", syntax: .ruleDescription, isOperational: true),
        .init(
            oid: "1.3.6.1.4.1.1466.101.120.16", name: "ldapSyntaxes", syntax: .syntaxDescription, isOperational: true),
    ]

    private static let operational = Set(standard.filter(\.isOperational).map { $0.name.lowercased() })

    /// Whether the directory itself sets an attribute.
    static func isOperational(_ canonicalName: String) -> Bool { operational.contains(canonicalName) }

    /// The attributes of a vocabulary: those of the standards, and the declared ones.
    static func attributes(_ vocabulary: Vocabulary) -> [Attribute] {
        var known = Set(standard.map { $0.name.lowercased() })
        var attributes = standard
        for entity in [AttributeDefinition.Entity.user, .role] {
            for shown in ShownAttributes(vocabulary, entity).list where known.insert(shown.name.lowercased()).inserted {
                attributes.append(
                    Attribute(
                        // A declared attribute has no number; other servers write such identifiers too.
                        oid: shown.name.lowercased() + "-oid", name: shown.name, syntax: Syntax(shown.definition.kind),
                        isSingle: !shown.definition.isMultiValued))
            }
        }
        return attributes
    }

    static func entry(_ vocabulary: Vocabulary) -> FixedEntry {
        let attributes = attributes(vocabulary)
        let own = attributes.filter { !$0.isOperational && $0.name != "objectClass" }.map(\.name)
        let mayHave = own.joined(separator: " $ ")
        let classes: [String] = [
            "( 2.5.6.0 NAME 'top' ABSTRACT MUST objectClass )",
            "( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn ) MAY ( userPassword $ telephoneNumber $ description ) )",
            "( 2.5.6.7 NAME 'organizationalPerson' SUP person STRUCTURAL MAY ( title $ ou $ street $ postOfficeBox $ "
                + "postalCode $ postalAddress $ st $ l $ facsimileTelephoneNumber ) )",
            "( 2.16.840.1.113730.3.2.2 NAME 'inetOrgPerson' SUP organizationalPerson STRUCTURAL MAY ( uid $ mail $ "
                + "givenName $ displayName $ initials $ employeeNumber $ employeeType $ departmentNumber $ manager $ mobile "
                + "$ homePhone $ homePostalAddress $ pager $ jpegPhoto $ labeledURI $ preferredLanguage $ o "
                + "$ businessCategory ) )",
            // RFC 4519 demands a member; a role may have none.
            "( 2.5.6.9 NAME 'groupOfNames' SUP top STRUCTURAL MUST cn MAY ( member $ owner $ description $ o $ ou $ "
                + "businessCategory ) )",
            "( 2.5.6.17 NAME 'groupOfUniqueNames' SUP top AUXILIARY MAY ( uniqueMember $ cn $ owner $ description ) )",
            "( 1.3.6.1.1.1.2.0 NAME 'posixAccount' SUP top AUXILIARY MUST ( cn $ uid $ uidNumber $ gidNumber $ homeDirectory ) "
                + "MAY ( userPassword $ loginShell $ gecos $ description ) )",
            "( 1.3.6.1.1.1.2.2 NAME 'posixGroup' SUP top AUXILIARY MUST gidNumber MAY ( userPassword $ memberUid $ "
                + "description ) )",
            "( 1.3.6.1.4.1.24552.500.1.1.2.0 NAME 'ldapPublicKey' SUP top AUXILIARY MAY ( sshPublicKey $ uid ) )",
            "( 1.3.6.1.4.1.15953.9.2.1 NAME 'sudoRole' SUP top STRUCTURAL MUST cn MAY ( sudoUser $ sudoHost $ sudoCommand $ "
                + "sudoRunAsUser $ sudoRunAsGroup $ sudoOption $ sudoNotBefore $ sudoNotAfter $ sudoOrder $ description ) )",
            "( 2.5.6.5 NAME 'organizationalUnit' SUP top STRUCTURAL MUST ou MAY description )",
            "( 2.5.6.4 NAME 'organization' SUP top STRUCTURAL MUST o MAY description )",
            "( 0.9.2342.19200300.100.4.13 NAME 'domain' SUP top STRUCTURAL MUST dc MAY description )",
            "( 1.3.6.1.4.1.1466.344 NAME 'dcObject' SUP top AUXILIARY MUST dc )",
            "( 2.5.20.1 NAME 'subschema' SUP top AUXILIARY MAY ( attributeTypes $ objectClasses $ matchingRules ) )",
            "( 2.5.17.0 NAME 'subentry' SUP top STRUCTURAL MUST cn )",
            "( \(arc).2.2 NAME 'rosterObject' DESC 'User or role with all attributes of the directory' SUP top AUXILIARY "
                + "MAY ( \(mayHave) ) )",
            "( \(arc).2.3 NAME 'rosterRootDSE' DESC 'The root of the server' SUP top STRUCTURAL )",
        ]
        func list(_ name: String, _ texts: [String]) -> LDAPAttribute {
            LDAPAttribute(name, texts.map { Array($0.utf8) })
        }
        return FixedEntry(
            dn: DirectoryTree.subschema,
            attributes: [
                LDAPAttribute("objectClass", "top", "subentry", "subschema"), LDAPAttribute("cn", "Subschema"),
            ],
            operational: [
                LDAPAttribute("structuralObjectClass", "subentry"),
                LDAPAttribute("subschemaSubentry", DirectoryTree.subschema),
                LDAPAttribute("entryDN", DirectoryTree.subschema), LDAPAttribute("hasSubordinates", "FALSE"),
                list(
                    "attributeTypes",
                    attributes.map(\.description)),
                list("objectClasses", classes),
                list("matchingRules", rules.map { "( \($0.oid) NAME '\($0.name)' SYNTAX \($0.syntax.rawValue) )" }),
                list("ldapSyntaxes", Syntax.all.map { "( \($0.rawValue) DESC '\($0.name)' )" }),
            ])
    }
}

extension Subschema.Syntax {
    init(_ kind: AttributeDefinition.Kind) {
        self =
            switch kind {
            case .string, .decimal, .complex: .text
            case .integer: .integer
            case .boolean: .boolean
            case .time: .time
            case .binary: .octets
            }
    }
}
