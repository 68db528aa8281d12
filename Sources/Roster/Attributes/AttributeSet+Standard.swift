public import Foundation

/// Each standard attribute has a property with the name that ``AttributeName`` gives the attribute. Read the attribute `description`
/// by `self[.description]`, because the property ``description`` is the printed form of the set.
extension AttributeSet {
    /// The given name.
    public var givenName: String? {
        get { self[text: .givenName] }
        set { self[text: .givenName] = newValue }
    }
    /// The family name.
    public var familyName: String? {
        get { self[text: .familyName] }
        set { self[text: .familyName] = newValue }
    }
    /// The middle name.
    public var middleName: String? {
        get { self[text: .middleName] }
        set { self[text: .middleName] = newValue }
    }
    /// The honorific prefix.
    public var honorificPrefix: String? {
        get { self[text: .honorificPrefix] }
        set { self[text: .honorificPrefix] = newValue }
    }
    /// The honorific suffix.
    public var honorificSuffix: String? {
        get { self[text: .honorificSuffix] }
        set { self[text: .honorificSuffix] = newValue }
    }
    /// The common name.
    public var commonName: String? {
        get { self[text: .commonName] }
        set { self[text: .commonName] = newValue }
    }
    /// The display name.
    public var displayName: String? {
        get { self[text: .displayName] }
        set { self[text: .displayName] = newValue }
    }
    /// The nickname.
    public var nickName: String? {
        get { self[text: .nickName] }
        set { self[text: .nickName] = newValue }
    }
    /// The initials.
    public var initials: String? {
        get { self[text: .initials] }
        set { self[text: .initials] = newValue }
    }
    /// The maiden name.
    public var maidenName: String? {
        get { self[text: .maidenName] }
        set { self[text: .maidenName] = newValue }
    }
    /// The title.
    public var title: String? {
        get { self[text: .title] }
        set { self[text: .title] = newValue }
    }
    /// The user type, such as `employee`.
    public var userType: String? {
        get { self[text: .userType] }
        set { self[text: .userType] = newValue }
    }
    /// The address of a page about the user.
    public var profileUrl: String? {
        get { self[text: .profileUrl] }
        set { self[text: .profileUrl] = newValue }
    }
    /// The preferred language.
    public var preferredLanguage: String? {
        get { self[text: .preferredLanguage] }
        set { self[text: .preferredLanguage] = newValue }
    }
    /// The locale.
    public var locale: String? {
        get { self[text: .locale] }
        set { self[text: .locale] = newValue }
    }
    /// The time zone.
    public var timezone: String? {
        get { self[text: .timezone] }
        set { self[text: .timezone] = newValue }
    }
    /// The employee number.
    public var employeeNumber: String? {
        get { self[text: .employeeNumber] }
        set { self[text: .employeeNumber] = newValue }
    }
    /// The cost center.
    public var costCenter: String? {
        get { self[text: .costCenter] }
        set { self[text: .costCenter] = newValue }
    }
    /// The organization.
    public var organization: String? {
        get { self[text: .organization] }
        set { self[text: .organization] = newValue }
    }
    /// The organizational unit.
    public var organizationalUnit: String? {
        get { self[text: .organizationalUnit] }
        set { self[text: .organizationalUnit] = newValue }
    }
    /// The division.
    public var division: String? {
        get { self[text: .division] }
        set { self[text: .division] = newValue }
    }
    /// The department.
    public var department: String? {
        get { self[text: .department] }
        set { self[text: .department] = newValue }
    }
    /// The gender.
    public var gender: String? {
        get { self[text: .gender] }
        set { self[text: .gender] = newValue }
    }
    /// The date of birth.
    public var dateOfBirth: String? {
        get { self[text: .dateOfBirth] }
        set { self[text: .dateOfBirth] = newValue }
    }
    /// The hire date.
    public var hireDate: String? {
        get { self[text: .hireDate] }
        set { self[text: .hireDate] = newValue }
    }
    /// The active start date.
    public var activeStartDate: String? {
        get { self[text: .activeStartDate] }
        set { self[text: .activeStartDate] = newValue }
    }
    /// The active end date.
    public var activeEndDate: String? {
        get { self[text: .activeEndDate] }
        set { self[text: .activeEndDate] = newValue }
    }
    /// The post office box.
    public var postOfficeBox: String? {
        get { self[text: .postOfficeBox] }
        set { self[text: .postOfficeBox] = newValue }
    }
    /// Lists the e-mail addresses of the set. The list is empty if the set has none.
    public var emails: [AttributeValue] {
        get { self[list: .emails] }
        set { self[list: .emails] = newValue }
    }
    /// The primary e-mail address, or else the first one.
    public var mail: String? {
        get { self[text: .mail] }
        set { self[text: .mail] = newValue }
    }
    /// Lists the phone numbers of the set. The list is empty if the set has none.
    public var phoneNumbers: [AttributeValue] {
        get { self[list: .phoneNumbers] }
        set { self[list: .phoneNumbers] = newValue }
    }
    /// The phone number at work.
    public var telephoneNumber: String? {
        get { self[text: .telephoneNumber] }
        set { self[text: .telephoneNumber] = newValue }
    }
    /// The mobile phone number.
    public var mobile: String? {
        get { self[text: .mobile] }
        set { self[text: .mobile] = newValue }
    }
    /// The phone number at home.
    public var homePhone: String? {
        get { self[text: .homePhone] }
        set { self[text: .homePhone] = newValue }
    }
    /// The fax number.
    public var fax: String? {
        get { self[text: .fax] }
        set { self[text: .fax] = newValue }
    }
    /// The pager number.
    public var pager: String? {
        get { self[text: .pager] }
        set { self[text: .pager] = newValue }
    }
    /// Lists the postal addresses of the set. The list is empty if the set has none.
    public var addresses: [AttributeValue] {
        get { self[list: .addresses] }
        set { self[list: .addresses] = newValue }
    }
    /// The address at work.
    public var postalAddress: String? {
        get { self[text: .postalAddress] }
        set { self[text: .postalAddress] = newValue }
    }
    /// The street of the address at work.
    public var street: String? {
        get { self[text: .street] }
        set { self[text: .street] = newValue }
    }
    /// The locality of the address at work.
    public var locality: String? {
        get { self[text: .locality] }
        set { self[text: .locality] = newValue }
    }
    /// The region of the address at work.
    public var region: String? {
        get { self[text: .region] }
        set { self[text: .region] = newValue }
    }
    /// The postal code of the address at work.
    public var postalCode: String? {
        get { self[text: .postalCode] }
        set { self[text: .postalCode] = newValue }
    }
    /// The country of the address at work.
    public var country: String? {
        get { self[text: .country] }
        set { self[text: .country] = newValue }
    }
    /// The address at home.
    public var homeAddress: String? {
        get { self[text: .homeAddress] }
        set { self[text: .homeAddress] = newValue }
    }
    /// Lists the addresses for instant messages of the set. The list is empty if the set has none.
    public var ims: [AttributeValue] {
        get { self[list: .ims] }
        set { self[list: .ims] = newValue }
    }
    /// Lists the addresses of photos of the set. The list is empty if the set has none.
    public var photos: [AttributeValue] {
        get { self[list: .photos] }
        set { self[list: .photos] = newValue }
    }
    /// Lists the entitlements of the set. The list is empty if the set has none.
    public var entitlements: [AttributeValue] {
        get { self[list: .entitlements] }
        set { self[list: .entitlements] = newValue }
    }
    /// Lists the roles of SCIM as clients write them, which grant nothing of the set. The list is empty if the set has none.
    public var scimRoles: [AttributeValue] {
        get { self[list: .scimRoles] }
        set { self[list: .scimRoles] = newValue }
    }
    /// Lists the X.509 certificates of the set. The list is empty if the set has none.
    public var x509Certificates: [AttributeValue] {
        get { self[list: .x509Certificates] }
        set { self[list: .x509Certificates] = newValue }
    }
    /// The bytes of the photo.
    public var photo: Data? {
        get { self[bytes: .photo] }
        set { self[bytes: .photo] = newValue }
    }
    /// The category of a role.
    public var category: String? {
        get { self[text: .category] }
        set { self[text: .category] = newValue }
    }

    private subscript(text name: AttributeName) -> String? {
        get { self[name]?.text }
        set { self[name] = newValue.map { .string($0) } }
    }
    private subscript(list name: AttributeName) -> [AttributeValue] {
        get { self[name]?.elements ?? [] }
        set { self[name] = newValue.isEmpty ? nil : .list(newValue) }
    }
    private subscript(bytes name: AttributeName) -> Data? {
        get { self[name].flatMap { Data(attributeValue: $0) } }
        set { self[name] = newValue.map { .binary($0) } }
    }
}
