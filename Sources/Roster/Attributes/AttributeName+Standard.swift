/// The names of the standard attributes, and the names that other protocols have for them.
extension AttributeName {
    /// The permanent identifier: `guid` of the profile service, `entryUUID` of LDAP.
    public static let id = AttributeName("id")
    /// The name of a user: `userName` of SCIM.
    public static let uid = AttributeName("uid")
    /// Whether the account is enabled.
    public static let active = AttributeName("active")
    /// The manager of a user: `manager.value` of SCIM.
    public static let manager = AttributeName("manager")
    /// The names of the roles that a user is a direct member of: `groups.display` of SCIM.
    public static let memberOf = AttributeName("memberOf")
    /// When the user or role was created: `meta.created` of SCIM, `createTimestamp` of LDAP.
    public static let created = AttributeName("created")
    /// When the user or role was last changed: `meta.lastModified` of SCIM, `modifyTimestamp` of LDAP.
    public static let modified = AttributeName("modified")
    /// The version, which each change of the user or role increases: `meta.version` of SCIM.
    public static let version = AttributeName("version")
    /// The identifier that the calling client has for a user or role.
    public static let externalId = AttributeName("externalId")
    /// The password, which is never returned: `userPassword` of LDAP.
    public static let password = AttributeName("password")
    /// The given name: `firstname` of the profile service, `name.givenName` of SCIM.
    public static let givenName = AttributeName("givenName")
    /// The family name: `lastname` of the profile service, `name.familyName` of SCIM, `sn` of LDAP.
    public static let familyName = AttributeName("familyName")
    /// The middle name: `name.middleName` of SCIM.
    public static let middleName = AttributeName("middleName")
    /// The honorific prefix: `name.honorificPrefix` of SCIM.
    public static let honorificPrefix = AttributeName("honorificPrefix")
    /// The honorific suffix: `generationqualifier` of the profile service, `name.honorificSuffix` of SCIM, `generationQualifier` of LDAP.
    public static let honorificSuffix = AttributeName("honorificSuffix")
    /// The common name: `name.formatted` of SCIM, `cn` of LDAP.
    public static let commonName = AttributeName("commonName")
    /// The display name.
    public static let displayName = AttributeName("displayName")
    /// The nick name.
    public static let nickName = AttributeName("nickName")
    /// The initials.
    public static let initials = AttributeName("initials")
    /// The maiden name.
    public static let maidenName = AttributeName("maidenName")
    /// The description.
    public static let description = AttributeName("description")
    /// The title.
    public static let title = AttributeName("title")
    /// The user type: `employeetype` of the profile service, `employeeType` of LDAP.
    public static let userType = AttributeName("userType")
    /// The profile url: `labeledURI` of LDAP.
    public static let profileUrl = AttributeName("profileUrl")
    /// The preferred language.
    public static let preferredLanguage = AttributeName("preferredLanguage")
    /// The locale.
    public static let locale = AttributeName("locale")
    /// The timezone.
    public static let timezone = AttributeName("timezone")
    /// The employee number.
    public static let employeeNumber = AttributeName("employeeNumber")
    /// The cost center.
    public static let costCenter = AttributeName("costCenter")
    /// The organization: `org` of the profile service, `o` of LDAP.
    public static let organization = AttributeName("organization")
    /// The organizational unit: `orgunit` of the profile service, `ou` of LDAP.
    public static let organizationalUnit = AttributeName("organizationalUnit")
    /// The division.
    public static let division = AttributeName("division")
    /// The department: `departmentNumber` of LDAP.
    public static let department = AttributeName("department")
    /// The gender.
    public static let gender = AttributeName("gender")
    /// The date of birth.
    public static let dateOfBirth = AttributeName("dateOfBirth")
    /// The hire date.
    public static let hireDate = AttributeName("hireDate")
    /// The active start date.
    public static let activeStartDate = AttributeName("activeStartDate")
    /// The active end date.
    public static let activeEndDate = AttributeName("activeEndDate")
    /// The post office box: `pobox` of the profile service.
    public static let postOfficeBox = AttributeName("postOfficeBox")
    /// The emails.
    public static let emails = AttributeName("emails")
    /// The mail.
    public static let mail = AttributeName("mail")
    /// The phone numbers.
    public static let phoneNumbers = AttributeName("phoneNumbers")
    /// The telephone number: `telephone` of the profile service.
    public static let telephoneNumber = AttributeName("telephoneNumber")
    /// The mobile.
    public static let mobile = AttributeName("mobile")
    /// The home phone.
    public static let homePhone = AttributeName("homePhone")
    /// The fax: `facsimileTelephoneNumber` of LDAP.
    public static let fax = AttributeName("fax")
    /// The pager.
    public static let pager = AttributeName("pager")
    /// The addresses.
    public static let addresses = AttributeName("addresses")
    /// The postal address.
    public static let postalAddress = AttributeName("postalAddress")
    /// The street.
    public static let street = AttributeName("street")
    /// The locality: `localityname` of the profile service, `l` of LDAP.
    public static let locality = AttributeName("locality")
    /// The region: `state` of the profile service, `st` of LDAP.
    public static let region = AttributeName("region")
    /// The postal code.
    public static let postalCode = AttributeName("postalCode")
    /// The country: `c` of LDAP.
    public static let country = AttributeName("country")
    /// The home address: `homePostalAddress` of LDAP.
    public static let homeAddress = AttributeName("homeAddress")
    /// The ims.
    public static let ims = AttributeName("ims")
    /// The photos.
    public static let photos = AttributeName("photos")
    /// The entitlements.
    public static let entitlements = AttributeName("entitlements")
    /// The roles of SCIM as clients write them, which grant nothing: `roles` of SCIM.
    public static let scimRoles = AttributeName("scimRoles")
    /// The x509 certificates.
    public static let x509Certificates = AttributeName("x509Certificates")
    /// The bytes of a photo: `jpegphoto` of the profile service, `jpegPhoto` of LDAP.
    public static let photo = AttributeName("photo")
    /// The name of a role: `commonname` of the profile service, `cn` of LDAP.
    public static let name = AttributeName("name")
    /// The members of a role: `members.value` of SCIM.
    public static let members = AttributeName("members")
    /// The category of a role: `rolecategory` of the profile service, `businessCategory` of LDAP.
    public static let category = AttributeName("category")
}
