/// The tables of directories and personnel systems that export CSV.
extension ImportPreset {
    static let googleTable = Table(
        managersBy: "mail",
        sources: [
            Source("uid", "Email Address"), Source("mail", "Email Address"), Source("givenName", "First Name"),
            Source("familyName", "Last Name"), Source("active", "Status"), Source("telephoneNumber", "Work Phone"),
            Source("homePhone", "Home Phone"), Source("mobile", "Mobile Phone"),
            Source("postalAddress", "Work Address"),
            Source("homeAddress", "Home Address"), Source("employeeNumber", "Employee ID"),
            Source("userType", "Employee Type"),
            Source("title", "Employee Title"), Source("manager", "Manager Email"), Source("department", "Department"),
            Source("costCenter", "Cost Center"), Source("organizationalUnit", "Org Unit Path"),
        ],
        skipped: [
            "Password", "Password Hash Function", "New Primary Email", "New Status", "Last Sign In", "2sv Enrolled",
            "2sv Enforced",
            "Email Usage", "Drive Usage", "Photos Usage", "Storage limit", "Storage Used",
            "Change Password at Next Sign-In",
            "Licenses", "New Licenses", "Advanced Protection Program enrollment",
        ])

    static let oktaTable = Table(
        sources: [
            Source("uid", "login", "username"), Source("mail", "email", "primary email"),
            Source("givenName", "firstName", "first name"),
            Source("familyName", "lastName", "last name"), Source("middleName", "middleName", "middle name"),
            Source("honorificPrefix", "honorificPrefix"), Source("honorificSuffix", "honorificSuffix"),
            Source("displayName", "displayName", "display name"), Source("nickName", "nickName"),
            Source("title", "title"),
            Source("profileUrl", "profileUrl"), Source("telephoneNumber", "primaryPhone", "primary phone"),
            Source("mobile", "mobilePhone", "mobile phone"), Source("street", "streetAddress", "street address"),
            Source("locality", "city"), Source("region", "state"), Source("postalCode", "zipCode", "zip code"),
            Source("country", "countryCode", "country code"), Source("postalAddress", "postalAddress"),
            Source("preferredLanguage", "preferredLanguage"), Source("locale", "locale"),
            Source("timezone", "timezone"),
            Source("userType", "userType", "user type"), Source("employeeNumber", "employeeNumber", "employee number"),
            Source("costCenter", "costCenter", "cost center"), Source("organization", "organization"),
            Source("division", "division"), Source("department", "department"),
            Source("manager", "managerId", "manager id"),
            Source("active", "status", "user status"),
        ],
        skipped: [
            "id", "user id", "created", "activated", "statusChanged", "lastLogin", "last login", "lastUpdated",
            "last updated",
            "passwordChanged", "password changed", "type.id", "_links*", "credentials*", "realmId", "manager",
        ])

    static let entraTable = Table(
        managersBy: "uid",
        sources: [
            Source("uid", "userPrincipalName"), Source("mail", "mail"), Source("displayName", "displayName"),
            Source("familyName", "surname"), Source("givenName", "givenName"), Source("userType", "userType"),
            Source("title", "jobTitle"), Source("department", "department"), Source("active", "accountEnabled"),
            Source("street", "streetAddress"), Source("locality", "city"), Source("region", "state"),
            Source("country", "country", "usageLocation"), Source("postalCode", "postalCode"),
            Source("telephoneNumber", "telephoneNumber", "businessPhones"), Source("mobile", "mobile", "mobilePhone"),
            Source("fax", "faxNumber", "facsimileTelephoneNumber"), Source("employeeNumber", "employeeId"),
            Source("hireDate", "employeeHireDate"),
            Source("organization", "companyName"), Source("preferredLanguage", "preferredLanguage"),
        ],
        skipped: [
            "id", "objectId", "ageGroup", "consentProvidedForMinor", "legalAgeGroupClassification", "creationType",
            "directorySynced",
            "invitationState", "externalUserState*", "identityIssuer", "identities", "createdDateTime",
            "deletedDateTime",
            "lastPasswordChangeDateTime", "passwordPolicies", "onPremises*", "usageLocation", "mailNickname",
            "assignedLicenses",
            "assignedPlans", "provisionedPlans", "proxyAddresses", "signInSessionsValidFromDateTime",
            "securityIdentifier",
            "isManagementRestricted", "isResourceAccount", "refreshTokensValidFromDateTime", "imAddresses",
            "authentication*",
        ])

    static let bambooHRTable = Table(
        managersBy: "employeeNumber",
        sources: [
            Source("uid", "Work Email", "workEmail", "Email", "Employee #", "employeeNumber"),
            Source("mail", "Work Email", "workEmail", "Email"),
            Source("employeeNumber", "Employee #", "employeeNumber", "EEID"),
            Source("givenName", "First Name", "firstName"), Source("middleName", "Middle Name", "middleName"),
            Source("familyName", "Last Name", "lastName"), Source("nickName", "Preferred Name", "preferredName"),
            Source("displayName", "Display Name", "displayName"), Source("title", "Job Title", "jobTitle"),
            Source("department", "Department"), Source("division", "Division"),
            Source("telephoneNumber", "Work Phone", "workPhone"), Source("mobile", "Mobile Phone", "mobilePhone"),
            Source("homePhone", "Home Phone", "homePhone"), Source("hireDate", "Hire Date", "hireDate"),
            Source("activeEndDate", "Termination Date", "terminationDate"),
            Source("dateOfBirth", "Birth Date", "dateOfBirth"),
            Source("gender", "Gender"), Source("active", "Status"),
            Source("userType", "Employment Status", "employmentStatus", "Employment Status: Employment Status"),
            Source("manager", "Supervisor EID", "supervisorEId", "Supervisor Employee #", "Reports To ID"),
        ],
        skipped: [
            "Supervisor", "Reporting To", "Reports To", "supervisor", "Last Changed", "lastChanged", "Employee ID",
            "id",
        ])

    static let personioTable = Table(
        managersBy: "mail",
        sources: [
            Source("uid", "Email", "E-Mail", "E-Mail-Adresse", "ID"),
            Source("mail", "Email", "E-Mail", "E-Mail-Adresse"),
            Source("employeeNumber", "Employee ID", "Personalnummer", "Employee number", "ID"),
            Source("givenName", "First name", "Vorname"), Source("familyName", "Last name", "Nachname"),
            Source("nickName", "Preferred name", "Rufname"), Source("gender", "Gender", "Geschlecht"),
            Source("title", "Position"), Source("department", "Department", "Abteilung"),
            Source("organizationalUnit", "Team"), Source("organization", "Subcompany", "Gesellschaft"),
            Source("costCenter", "Cost center", "Kostenstelle"),
            Source("userType", "Employment type", "Anstellungsart"),
            Source("hireDate", "Hire date", "Eintrittsdatum", "Einstellungsdatum"),
            Source(
                "activeEndDate", "Termination date", "Last day of work", "Contract end date", "Austrittsdatum",
                "Vertragsende"),
            Source("active", "Status"), Source("dateOfBirth", "Date of birth", "Birthday", "Geburtsdatum"),
            Source("manager", "Supervisor email", "Supervisor (Email)", "Vorgesetzter (E-Mail)"),
            Source("telephoneNumber", "Work phone", "Telefon (geschäftlich)"),
            Source("mobile", "Mobile phone", "Mobiltelefon"),
        ],
        skipped: [
            "Supervisor", "Vorgesetzter", "Created at", "Last modified at", "Weekly working hours", "Wochenarbeitszeit",
            "FTE", "Probation period end", "Vacation day balance", "Profile picture",
        ])

    static let workdayTable = Table(
        managersBy: "employeeNumber",
        sources: [
            Source(
                "uid", "User Name", "Username", "Email - Work", "Work Email", "Primary Work Email", "Employee ID",
                "Worker ID"),
            Source("mail", "Email - Work", "Work Email", "Primary Work Email", "Email Address"),
            Source("employeeNumber", "Employee ID", "Worker ID", "Employee_ID"),
            Source("givenName", "Legal First Name", "Legal Name - First Name", "First Name"),
            Source("middleName", "Legal Middle Name", "Legal Name - Middle Name", "Middle Name"),
            Source("familyName", "Legal Last Name", "Legal Name - Last Name", "Last Name"),
            Source("displayName", "Preferred Name", "Worker"), Source("title", "Business Title", "businessTitle"),
            Source("department", "Supervisory Organization", "Department"), Source("organization", "Company"),
            Source("costCenter", "Cost Center"), Source("userType", "Worker Type", "Employee Type"),
            Source("hireDate", "Hire Date"), Source("activeEndDate", "Termination Date", "Contract End Date"),
            Source("active", "Active Status", "Worker Status", "Active"),
            Source("telephoneNumber", "Work Phone", "Primary Work Phone", "Phone - Work"),
            Source("mobile", "Mobile Phone", "Phone - Mobile"),
            Source("manager", "Manager ID", "Manager Employee ID", "Manager - Employee ID"),
            Source("country", "Country ISO Code", "Country Code"),
        ],
        skipped: [
            "Manager", "Worker's Manager", "Workers Manager", "Job Profile", "Job Code", "Job Family", "Position ID",
            "Position",
            "Time Type", "Pay Rate Type", "Management Level", "Original Hire Date", "WID", "Workday ID",
        ])
}
