public import Foundation

/// Each standard attribute has a property with the name that ``AttributeName`` gives the attribute. The property holds the fetched
/// value. The property is nil if the attribute has no value, or if the caller did not fetch the attribute.
extension User {
    /// The given name.
    public var givenName: String? { attributes.givenName }
    /// The family name.
    public var familyName: String? { attributes.familyName }
    /// The middle name.
    public var middleName: String? { attributes.middleName }
    /// The honorific prefix.
    public var honorificPrefix: String? { attributes.honorificPrefix }
    /// The honorific suffix.
    public var honorificSuffix: String? { attributes.honorificSuffix }
    /// The common name.
    public var commonName: String? { attributes.commonName }
    /// The display name.
    public var displayName: String? { attributes.displayName }
    /// The nickname.
    public var nickName: String? { attributes.nickName }
    /// The initials.
    public var initials: String? { attributes.initials }
    /// The maiden name.
    public var maidenName: String? { attributes.maidenName }
    /// The description.
    public var description: String? { attributes[.description]?.text }
    /// The title.
    public var title: String? { attributes.title }
    /// The user type, such as `employee`.
    public var userType: String? { attributes.userType }
    /// The address of a page about the user.
    public var profileUrl: String? { attributes.profileUrl }
    /// The preferred language.
    public var preferredLanguage: String? { attributes.preferredLanguage }
    /// The locale.
    public var locale: String? { attributes.locale }
    /// The time zone.
    public var timezone: String? { attributes.timezone }
    /// The employee number.
    public var employeeNumber: String? { attributes.employeeNumber }
    /// The cost center.
    public var costCenter: String? { attributes.costCenter }
    /// The organization.
    public var organization: String? { attributes.organization }
    /// The organizational unit.
    public var organizationalUnit: String? { attributes.organizationalUnit }
    /// The division.
    public var division: String? { attributes.division }
    /// The department.
    public var department: String? { attributes.department }
    /// The gender.
    public var gender: String? { attributes.gender }
    /// The date of birth.
    public var dateOfBirth: String? { attributes.dateOfBirth }
    /// The hire date.
    public var hireDate: String? { attributes.hireDate }
    /// The active start date.
    public var activeStartDate: String? { attributes.activeStartDate }
    /// The active end date.
    public var activeEndDate: String? { attributes.activeEndDate }
    /// The post office box.
    public var postOfficeBox: String? { attributes.postOfficeBox }
    /// Lists the user's e-mail addresses. The list is empty if the user has none, or if the caller did not fetch them.
    public var emails: [AttributeValue] { attributes.emails }
    /// The primary e-mail address, or else the first one.
    public var mail: String? { attributes.mail }
    /// Lists the user's phone numbers. The list is empty if the user has none, or if the caller did not fetch them.
    public var phoneNumbers: [AttributeValue] { attributes.phoneNumbers }
    /// The phone number at work.
    public var telephoneNumber: String? { attributes.telephoneNumber }
    /// The mobile phone number.
    public var mobile: String? { attributes.mobile }
    /// The phone number at home.
    public var homePhone: String? { attributes.homePhone }
    /// The fax number.
    public var fax: String? { attributes.fax }
    /// The pager number.
    public var pager: String? { attributes.pager }
    /// Lists the user's postal addresses. The list is empty if the user has none, or if the caller did not fetch them.
    public var addresses: [AttributeValue] { attributes.addresses }
    /// The address at work.
    public var postalAddress: String? { attributes.postalAddress }
    /// The street of the address at work.
    public var street: String? { attributes.street }
    /// The locality of the address at work.
    public var locality: String? { attributes.locality }
    /// The region of the address at work.
    public var region: String? { attributes.region }
    /// The postal code of the address at work.
    public var postalCode: String? { attributes.postalCode }
    /// The country of the address at work.
    public var country: String? { attributes.country }
    /// The address at home.
    public var homeAddress: String? { attributes.homeAddress }
    /// Lists the user's addresses for instant messages. The list is empty if the user has none, or if the caller did not fetch them.
    public var ims: [AttributeValue] { attributes.ims }
    /// Lists the user's addresses of photos. The list is empty if the user has none, or if the caller did not fetch them.
    public var photos: [AttributeValue] { attributes.photos }
    /// Lists the user's entitlements. The list is empty if the user has none, or if the caller did not fetch them.
    public var entitlements: [AttributeValue] { attributes.entitlements }
    /// Lists the user's roles of SCIM as clients write them, which grant nothing. The list is empty if the user has none, or if the caller did not fetch them.
    public var scimRoles: [AttributeValue] { attributes.scimRoles }
    /// Lists the user's X.509 certificates. The list is empty if the user has none, or if the caller did not fetch them.
    public var x509Certificates: [AttributeValue] { attributes.x509Certificates }
    /// The bytes of the photo if it was fetched.
    public var photo: Data? { attributes.photo }
    /// The names of the roles that the user is a direct member of; nil unless `memberOf` was fetched.
    public var memberOf: [String]? { roleNames }
}

/// Other names for the standard attributes: those of Oracle Mobile and Social SDK's `OMUser`.
extension User {
    /// Another name of ``givenName`` (`OMUser firstName`).
    public var firstName: String? { givenName }
    /// Another name of ``familyName`` (`OMUser lastName`).
    public var lastName: String? { familyName }
}
