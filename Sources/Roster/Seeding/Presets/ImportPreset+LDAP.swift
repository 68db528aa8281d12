/// The tables of directories that speak LDAP. An import knows the attributes of inetOrgPerson anyway; see ``StandardAttributes``.
extension ImportPreset {
    static let activeDirectoryTable = Table(
        sources: [
            Source("uid", "sAMAccountName", "userPrincipalName"),
            Source("commonName", "cn", "Name"),
            Source("familyName", "sn", "Surname"),
            Source("middleName", "middleName", "OtherName"),
            Source("honorificPrefix", "personalTitle"),
            Source("mail", "mail", "EmailAddress"),
            Source("department", "department"),
            Source("organization", "company", "o", "Organization"),
            Source("employeeNumber", "employeeNumber", "employeeID"),
            Source("telephoneNumber", "telephoneNumber", "OfficePhone"),
            Source("mobile", "mobile", "MobilePhone"),
            Source("fax", "facsimileTelephoneNumber", "Fax"),
            Source("street", "streetAddress"),
            Source("locality", "l", "City"),
            Source("region", "st", "State"),
            Source("country", "c", "Country", "co"),
            Source("photo", "thumbnailPhoto", "jpegPhoto"),
            Source("profileUrl", "wWWHomePage", "HomePage"),
            Source("active", "Enabled"),
        ],
        skipped: [
            "objectCategory", "objectGUID", "objectSid", "sid", "sIDHistory", "objectVersion", "instanceType", "name",
            "distinguishedName",
            "canonicalName", "whenCreated", "whenChanged", "created", "modified", "createTimeStamp", "modifyTimeStamp",
            "uSN*",
            "dSCorePropagationData", "sDRightsEffective", "nTSecurityDescriptor", "adminCount",
            "isCriticalSystemObject",
            "showInAdvancedViewOnly", "systemFlags", "groupType", "sAMAccountType", "primaryGroup*", "badPwdCount",
            "badLogonCount",
            "badPasswordTime", "lastLogoff", "lastLogon*", "lastBadPasswordAttempt", "lockoutTime", "lockedOut",
            "accountLockoutTime",
            "logonCount", "logonHours", "logonWorkstations", "pwdLastSet", "passwordLastSet", "passwordExpired",
            "passwordNeverExpires",
            "passwordNotRequired", "cannotChangePassword", "accountNotDelegated", "accountExpirationDate",
            "allowReversiblePasswordEncryption",
            "authenticationPolicy*", "certificates", "compoundIdentitySupported", "doesNotRequirePreAuth",
            "kerberosEncryptionType",
            "mNSLogonAccount", "principalsAllowedToDelegateToAccount", "protectedFromAccidentalDeletion",
            "smartcardLogonRequired",
            "trustedFor*", "trustedToAuthForDelegation", "useDESKeyOnly", "homedirRequired", "homeDirectory",
            "homeDrive", "profilePath",
            "scriptPath", "codePage", "countryCode", "userParameters", "userWorkstations", "userCertificate",
            "userSMIMECertificate",
            "servicePrincipalName*", "directReports", "managedObjects", "lastKnownParent", "deleted", "isDeleted", "dn",
            "legacyExchangeDN",
            "mailNickname", "showInAddressBook", "msDS-*", "msExch*", "msRTCSIP-*", "msTSExpire*", "msTSLicense*",
            "msTSManaging*", "mS-DS-*",
            "userPrincipalName", "objectClass", "PropertyNames", "PropertyCount", "AddedProperties",
            "RemovedProperties",
            "ModifiedProperties",
        ])

    /// The accounts of Unix (RFC 2307), which the directory stores only where somebody has declared attributes of these names.
    private static let unix = [
        "uidNumber", "gidNumber", "homeDirectory", "loginShell", "gecos", "shadowLastChange", "shadowMin", "shadowMax",
        "shadowWarning",
        "shadowInactive", "shadowFlag",
    ]
    /// What password policies, replication and Kerberos note about an entry.
    private static let records = [
        "pwdChangedTime", "pwdHistory", "pwdFailureTime", "pwdGraceUseTime", "pwdReset", "pwdPolicySubentry",
        "pwdLastSuccess",
        "authTimestamp", "passwordExpirationTime", "passwordGraceUserTime", "passwordRetryCount",
        "passwordAllowChangeTime",
        "passwordHistory", "passwordExpWarned", "passwordPolicySubentry", "retryCountResetTime", "accountUnlockTime",
        "lastLoginTime",
        "nsUniqueId", "nsRole", "nsRoleDN", "nsds5*", "nsSchemaCSN", "entryId", "parentId", "dncomp", "aci", "krb*",
        "ipaUniqueID",
        "ipaNT*", "ipaUserAuthType", "mepManagedEntry", "memberOfIndirect", "entryDN", "internalModify*",
        "internalCreators*",
        "modifyTimestamp", "createTimestamp",
    ]

    static let directoryServer389Table = Table(sources: [], skipped: records + unix)
    static let openLDAPTable = Table(sources: [], skipped: records + unix)
    static let freeIPATable = Table(sources: [], skipped: records + unix)
    static let lldapTable = Table(
        sources: [
            Source("givenName", "givenName", "first_name", "firstName"),
            Source("familyName", "sn", "last_name", "lastName"),
            Source("displayName", "displayName", "display_name"), Source("photo", "jpegPhoto", "avatar"),
        ],
        skipped: records + unix + [
            "creationDate", "creation_date", "uuid", "user_uuid", "groupId", "modifiedDate", "passwordModifiedDate",
        ])
}
