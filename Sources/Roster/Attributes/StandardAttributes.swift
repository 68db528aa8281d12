/// The built-in attributes: those of Oracle Mobile and Social SDK (`OMUser`, `OMRole` and the identity service behind
/// them), of SCIM's core and enterprise schemas (RFC 7643, sections 4.1 and 4.3), and of inetOrgPerson.
enum StandardAttributes {
    /// SCIM's enterprise extension.
    static let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"

    /// The attributes of every user that are stored in columns instead of the attribute set.
    static let userSystem: [AttributeDefinition] = [
        system("id", profile: "guid", scim: "id", ldap: "entryUUID", kind: .string, isCaseExact: true),
        system("uid", profile: "uid", scim: "userName", ldap: "uid", kind: .string),
        system("active", scim: "active", kind: .boolean),
        system("manager", profile: "manager", scim: enterprise + ":manager.value", ldap: "manager", kind: .string),
        system("memberOf", profile: "memberOf", scim: "groups.display", ldap: "memberOf", kind: .string, isMulti: true),
        system("created", scim: "meta.created", ldap: "createTimestamp", kind: .time),
        system("modified", scim: "meta.lastModified", ldap: "modifyTimestamp", kind: .time),
        system("version", scim: "meta.version", kind: .integer),
        system("externalId", scim: "externalId", kind: .string, isCaseExact: true, readers: .administrators),
        // The value is a hash, never the password itself, and has a table of its own.
        system(
            "password", profile: "password", scim: "password", ldap: "userPassword", kind: .string, isCaseExact: true,
            readers: .nobody, by: .person),
    ]

    static let user: [AttributeDefinition] = [
        text("givenName", profile: "firstname", scim: "name.givenName", ldap: "givenName", isIndexed: true),
        text("familyName", profile: "lastname", scim: "name.familyName", ldap: "sn", isIndexed: true),
        text("middleName", profile: "middlename", scim: "name.middleName"),
        text("honorificPrefix", scim: "name.honorificPrefix"),
        text(
            "honorificSuffix", profile: "generationqualifier", scim: "name.honorificSuffix", ldap: "generationQualifier"
        ),
        text("commonName", profile: "commonname", scim: "name.formatted", ldap: "cn", isIndexed: true),
        text(
            "displayName", profile: "displayname", scim: "displayName", ldap: "displayName", isIndexed: true,
            by: .person),
        text("nickName", scim: "nickName", by: .person),
        text("initials", profile: "initials", ldap: "initials"),
        text("maidenName", profile: "maidenname", readers: .managers),
        text("description", profile: "description", ldap: "description", by: .person),
        text("title", profile: "title", scim: "title", ldap: "title", isIndexed: true),
        text("userType", profile: "employeetype", scim: "userType", ldap: "employeeType"),
        text("profileUrl", scim: "profileUrl", ldap: "labeledURI", by: .person),
        text(
            "preferredLanguage", profile: "preferredlanguage", scim: "preferredLanguage", ldap: "preferredLanguage",
            by: .person),
        text("locale", scim: "locale", by: .person),
        text("timezone", profile: "timezone", scim: "timezone", by: .person),
        text(
            "employeeNumber", profile: "employeenumber", scim: enterprise + ":employeeNumber", ldap: "employeeNumber",
            isIndexed: true),
        text("costCenter", scim: enterprise + ":costCenter"),
        text("organization", profile: "org", scim: enterprise + ":organization", ldap: "o"),
        text("organizationalUnit", profile: "orgunit", ldap: "ou"),
        text("division", scim: enterprise + ":division"),
        text(
            "department", profile: "department", scim: enterprise + ":department", ldap: "departmentNumber",
            isIndexed: true),
        text("gender", profile: "gender", readers: .person),
        text("dateOfBirth", profile: "dateofbirth", readers: .person),
        text("hireDate", profile: "hiredate", readers: .managers),
        text("activeStartDate", profile: "activestartdate", readers: .managers),
        text("activeEndDate", profile: "activeenddate", readers: .managers),
        text("postOfficeBox", profile: "pobox", ldap: "postOfficeBox"),
        complex("emails", isIndexed: true),
        view("mail", "emails", nil, profile: "mail", ldap: "mail", isIndexed: true),
        complex("phoneNumbers", by: .person),
        view("telephoneNumber", "phoneNumbers", "work", profile: "telephone", ldap: "telephoneNumber", by: .person),
        view(
            "mobile", "phoneNumbers", "mobile", profile: "mobile", ldap: "mobile", readers: .managers, by: .person),
        view(
            "homePhone", "phoneNumbers", "home", profile: "homephone", ldap: "homePhone", readers: .managers,
            by: .person),
        view("fax", "phoneNumbers", "fax", profile: "fax", ldap: "facsimileTelephoneNumber", by: .person),
        view("pager", "phoneNumbers", "pager", profile: "pager", ldap: "pager", by: .person),
        complex("addresses", by: .person),
        view(
            "postalAddress", "addresses", "work", "formatted", profile: "postaladdress", ldap: "postalAddress",
            by: .person),
        view("street", "addresses", "work", "streetAddress", profile: "street", ldap: "street", by: .person),
        view("locality", "addresses", "work", "locality", profile: "localityname", ldap: "l", by: .person),
        view("region", "addresses", "work", "region", profile: "state", ldap: "st", by: .person),
        view("postalCode", "addresses", "work", "postalCode", profile: "postalcode", ldap: "postalCode", by: .person),
        view("country", "addresses", "work", "country", profile: "country", ldap: "c", by: .person),
        view(
            "homeAddress", "addresses", "home", "formatted", profile: "homeaddress", ldap: "homePostalAddress",
            readers: .managers, by: .person),
        complex("ims", by: .person),
        complex("photos", by: .person),
        complex("entitlements"),
        // SCIM's `roles` as clients wrote them. They grant nothing; memberships decide about rights.
        complex("scimRoles", scim: "roles", isIndexed: true),
        complex("x509Certificates"),
        AttributeDefinition(
            "photo", of: .user, kind: .binary, isMultiValued: false, isCaseExact: true,
            isIndexed: false, isReturnedOnRequest: true, readers: .signedIn, writers: .person,
            names: [.profile: "jpegphoto", .ldap: "jpegPhoto"], element: nil),
    ]

    static let roleSystem: [AttributeDefinition] = [
        system("id", of: .role, profile: "guid", scim: "id", ldap: "entryUUID", kind: .string, isCaseExact: true),
        system("name", of: .role, profile: "commonname", ldap: "cn", kind: .string),
        system("created", of: .role, scim: "meta.created", ldap: "createTimestamp", kind: .time),
        system("modified", of: .role, scim: "meta.lastModified", ldap: "modifyTimestamp", kind: .time),
        system("version", of: .role, scim: "meta.version", kind: .integer),
        system(
            "externalId", of: .role, scim: "externalId", kind: .string, isCaseExact: true, readers: .administrators),
        system("members", of: .role, scim: "members.value", kind: .string, isCaseExact: true, isMulti: true),
    ]

    static let role: [AttributeDefinition] = [
        text(
            "displayName", of: .role, profile: "displayname", scim: "displayName", ldap: "displayName", isIndexed: true),
        text("description", of: .role, profile: "description", ldap: "description"),
        text("mail", of: .role, profile: "mail", ldap: "mail"),
        text("organization", of: .role, profile: "org", ldap: "o"),
        text("category", of: .role, profile: "rolecategory", ldap: "businessCategory"),
    ]

    /// Alternative names of attributes of roles, of the profile service's clients.
    static let roleAliases: [String: AttributeName] = [
        "uniquename": "name", "roleName": "name", "roleDescription": "description",
    ]
    /// Alternative names of attributes of users, of the profile service's clients.
    static let userAliases: [String: AttributeName] = [
        "loginid": "uid", "name": "uid", "uniquename": "uid", "username": "uid", "login": "uid",
        "phone": "telephoneNumber",
        "workphone": "telephoneNumber", "email": "mail", "firstName": "givenName", "lastName": "familyName",
    ]

    private static let elements = Dictionary(
        uniqueKeysWithValues: user.compactMap { definition in definition.element.map { (definition.name, $0) } })

    /// The location of a view such as `mail`; nil for an attribute that is stored under its own name.
    static func element(of name: AttributeName) -> AttributeDefinition.Element? { elements[name] }

    private static let listsOfParts = Set(elements.values.map(\.attribute))

    /// Whether an attribute is a list such as `emails`, in which views such as `mail` are stored.
    static func isListOfParts(_ name: AttributeName) -> Bool { listsOfParts.contains(name) }

    private static let userNames = Set(user.map(\.name))

    static func isStandardUser(_ name: AttributeName) -> Bool { userNames.contains(name) }

    static let indexed = Set(user.filter(\.isIndexed).map(\.name))

    static func isBuiltIn(_ name: AttributeName, of entity: AttributeDefinition.Entity) -> Bool {
        isSystem(name, of: entity)
            || (entity == .user ? isStandardUser(name) : role.contains { $0.name == name })
    }

    /// Whether an attribute has its own column outside the attribute set.
    static func isSystem(_ name: AttributeName, of entity: AttributeDefinition.Entity) -> Bool {
        (entity == .user ? userSystem : roleSystem).contains { $0.name == name }
    }

    private static func text(
        _ name: AttributeName, of entity: AttributeDefinition.Entity = .user, profile: String? = nil,
        scim: String? = nil, ldap: String? = nil, isIndexed: Bool = false,
        readers: AttributeDefinition.Readers = .signedIn, by writers: AttributeDefinition.Writers = .administrators
    ) -> AttributeDefinition {
        AttributeDefinition(
            name, of: entity, kind: .string, isMultiValued: false, isCaseExact: false,
            isIndexed: isIndexed, isReturnedOnRequest: false, readers: readers, writers: writers,
            names: names(profile, scim, ldap), element: nil)
    }

    private static func complex(
        _ name: AttributeName, scim: String? = nil, isIndexed: Bool = false,
        by writers: AttributeDefinition.Writers = .administrators
    ) -> AttributeDefinition {
        AttributeDefinition(
            name, of: .user, kind: .complex, isMultiValued: true, isCaseExact: false,
            isIndexed: isIndexed, isReturnedOnRequest: false, readers: .signedIn, writers: writers,
            names: names(nil, scim ?? name.rawValue, nil), element: nil)
    }

    private static func view(
        _ name: AttributeName, _ attribute: AttributeName, _ type: String?, _ part: String = "value",
        profile: String, ldap: String, isIndexed: Bool = false,
        readers: AttributeDefinition.Readers = .signedIn, by writers: AttributeDefinition.Writers = .administrators
    ) -> AttributeDefinition {
        AttributeDefinition(
            name, of: .user, kind: .string, isMultiValued: false, isCaseExact: false,
            isIndexed: isIndexed, isReturnedOnRequest: false, readers: readers, writers: writers,
            names: names(profile, nil, ldap), element: .init(attribute: attribute, type: type, part: part))
    }

    private static func system(
        _ name: AttributeName, of entity: AttributeDefinition.Entity = .user, profile: String? = nil,
        scim: String? = nil, ldap: String? = nil, kind: AttributeDefinition.Kind, isCaseExact: Bool = false,
        isMulti: Bool = false, readers: AttributeDefinition.Readers = .signedIn,
        by writers: AttributeDefinition.Writers? = nil
    ) -> AttributeDefinition {
        AttributeDefinition(
            name, of: entity, kind: kind, isMultiValued: isMulti, isCaseExact: isCaseExact,
            rules: ["id", "uid", "name"].contains(name.rawValue) ? .unique : [], isIndexed: true,
            isReturnedOnRequest: false,
            readers: readers,
            writers: writers
                ?? (["uid", "active", "manager", "name", "externalId"].contains(name.rawValue)
                    ? .administrators : .nobody),
            names: names(profile, scim, ldap), element: nil)
    }

    private static func names(_ profile: String?, _ scim: String?, _ ldap: String?) -> [AttributeDefinition.NameSpace:
        String]
    {
        var names: [AttributeDefinition.NameSpace: String] = [:]
        names[.profile] = profile
        names[.scim] = scim
        names[.ldap] = ldap
        return names
    }
}
