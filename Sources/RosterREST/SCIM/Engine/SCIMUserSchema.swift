package import Roster

extension SCIMResourceType {
    /// The type of users (RFC 7643, sections 4.1 and 4.3), with an extension for the directory's other attributes.
    package static func user(_ vocabulary: Vocabulary) -> SCIMResourceType {
        SCIMResourceType(
            name: "User", endpoint: "/Users", description: "A person's account", core: userSchema,
            extensions: [
                enterpriseSchema,
                directorySchema(Vocabulary.extensionSchema, of: .user, named: "Directory User", vocabulary),
            ])
    }

    /// The URN of the enterprise extension (RFC 7643, section 4.3).
    package static let enterpriseURN = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"

    /// The core schema of users (RFC 7643, section 4.1), with the attributes that the directory stores.
    static let userSchema = SCIMSchema(
        id: "urn:ietf:params:scim:schemas:core:2.0:User", name: "User", description: "A person's account",
        attributes: [
            SCIMAttribute(
                name: "userName", description: "The name to sign in with", isRequired: true, uniqueness: .server),
            SCIMAttribute(
                name: "name", description: "The parts of the person's name", kind: .complex,
                subAttributes: [
                    .plain("formatted", "The full name, ready to be shown"),
                    .plain("familyName", "The family name"),
                    .plain("givenName", "The given name"),
                    .plain("middleName", "The middle name"),
                    .plain("honorificPrefix", "The title before the name"),
                    .plain("honorificSuffix", "What follows the name, such as Jr."),
                ]),
            .plain("displayName", "The name that others see"),
            .plain("nickName", "What friends say"),
            SCIMAttribute(
                name: "profileUrl", description: "The person's page", kind: .reference, referenceTypes: ["external"]),
            .plain("title", "The job title"),
            .plain("userType", "The kind of employment"),
            .plain("preferredLanguage", "Languages as in Accept-Language"),
            .plain("locale", "The language and region to format for"),
            .plain("timezone", "The time zone by its Olson name"),
            SCIMAttribute(
                name: "active", description: "Whether the account may be used", kind: .boolean, isAlwaysAssigned: true),
            SCIMAttribute(
                name: "password", description: "The password, to be set only", isCaseExact: true,
                mutability: .writeOnly, returned: .never),
            .list("emails", "E-mail addresses", types: ["work", "home", "other"]),
            .list("phoneNumbers", "Phone numbers", types: ["work", "home", "mobile", "fax", "pager", "other"]),
            .list(
                "ims", "Addresses for instant messages",
                types: ["aim", "gtalk", "icq", "xmpp", "msn", "skype", "qq", "yahoo"]),
            .list("photos", "Addresses of pictures", value: .reference, types: ["photo", "thumbnail"]),
            addresses, groups,
            .list("entitlements", "What the person is entitled to"),
            roles,
            .list("x509Certificates", "Certificates in DER", value: .binary),
        ])

    private static let addresses = SCIMAttribute(
        name: "addresses", description: "Postal addresses", kind: .complex, isMultiValued: true,
        subAttributes: [
            .plain("formatted", "The whole address, ready to be shown"),
            .plain("streetAddress", "Street and number"),
            .plain("locality", "The city"),
            .plain("region", "The state or region"),
            .plain("postalCode", "The postal code"),
            .plain("country", "The country, as in ISO 3166-1 alpha-2"),
            SCIMAttribute(name: "type", description: "What it is for", canonicalValues: ["work", "home", "other"]),
            .plain("primary", "Whether it is the one to prefer", kind: .boolean),
        ])

    private static let groups = SCIMAttribute(
        name: "groups", description: "The groups that the user is in; written with the groups", kind: .complex,
        isMultiValued: true, mutability: .readOnly,
        subAttributes: [
            .readOnly("value", "The id of the group", isCaseExact: true),
            .readOnly(
                "$ref", "The address of the group", kind: .reference, isCaseExact: true, referenceTypes: ["Group"]),
            .readOnly("display", "The name of the group"),
            .readOnly("type", "Whether by a group in between", canonicalValues: ["direct", "indirect"]),
        ])

    /// Roles that clients write are data. The list also has the user's groups, for clients that know roles only.
    private static let roles: SCIMAttribute = {
        var roles = SCIMAttribute.list(
            "roles",
            "Roles that clients keep here as data: they grant nothing. Elements of the types direct and indirect are the "
                + "names of the user's groups, and are written with the groups")
        roles.readOnlyTypes = ["direct", "indirect"]
        return roles
    }()

    /// The enterprise extension (RFC 7643, section 4.3).
    static let enterpriseSchema = SCIMSchema(
        id: enterpriseURN, name: "Enterprise User", description: "A person's place in an organization",
        attributes: [
            .plain("employeeNumber", "The number of the employee"),
            .plain("costCenter", "The cost center"),
            .plain("organization", "The organization"),
            .plain("division", "The division"),
            .plain("department", "The department"),
            SCIMAttribute(
                name: "manager", description: "Who the person reports to", kind: .complex,
                subAttributes: [
                    SCIMAttribute(name: "value", description: "The id of the manager", isCaseExact: true),
                    .reference("The address of the manager", to: ["User"], publishedAs: .readWrite),
                    .readOnly("displayName", "The manager's name"),
                ]),
        ])
}

extension SCIMAttribute {
    /// A multi-valued attribute with the usual parts (RFC 7643, section 2.4).
    static func list(
        _ name: String, _ description: String, value: Kind = .string, types: [String] = []
    ) -> SCIMAttribute {
        let values = SCIMAttribute(
            name: "value", description: "The value", kind: value, isCaseExact: value != .string,
            referenceTypes: value == .reference ? ["external"] : [])
        return SCIMAttribute(
            name: name, description: description, kind: .complex, isMultiValued: true,
            subAttributes: [
                values, .plain("display", "The value as it is shown"),
                SCIMAttribute(name: "type", description: "What it is for", canonicalValues: types),
                .plain("primary", "Whether it is the one to prefer", kind: .boolean),
            ])
    }
}
