/// The controls that the server knows.
enum SupportedControl {
    /// Paged results (RFC 2696).
    static let pagedResults = "1.2.840.113556.1.4.319"
    /// ManageDsaIT (RFC 3296): referrals are treated as entries. There are none.
    static let manageDsaIT = "2.16.840.1.113730.3.4.2"
    /// Don't use copy (RFC 6171): the answer must not come from a copy. It never does.
    static let dontUseCopy = "1.3.6.1.1.22"

    /// Entries in an order (RFC 2891), and the control of the answer.
    static let sort = "1.2.840.113556.1.4.473"
    static let sortAnswer = "1.2.840.113556.1.4.474"
    /// A part of a sorted list (draft-ietf-ldapext-ldapv3-vlv-09), and the control of the answer.
    static let virtualList = "2.16.840.1.113730.3.4.9"
    static let virtualListAnswer = "2.16.840.1.113730.3.4.10"
    /// A condition on the entry (RFC 4528).
    static let assertion = "1.3.6.1.1.12"
    /// The entry before and after a change (RFC 4527).
    static let preRead = "1.3.6.1.1.13.1"
    static let postRead = "1.3.6.1.1.13.2"
    /// A search that goes on with changes (draft-ietf-ldapext-psearch-03), and the control of an entry.
    static let persistentSearch = "2.16.840.1.113730.3.4.3"
    static let entryChange = "2.16.840.1.113730.3.4.7"
    /// Content synchronization (RFC 4533), and the controls and the message of its answers.
    static let sync = "1.3.6.1.4.1.4203.1.9.1.1"
    static let syncState = "1.3.6.1.4.1.4203.1.9.1.2"
    static let syncDone = "1.3.6.1.4.1.4203.1.9.1.3"
    static let syncInfo = "1.3.6.1.4.1.4203.1.9.1.4"
    /// The reason why a password is refused (draft-behera-ldap-password-policy-10).
    static let passwordPolicy = "1.3.6.1.4.1.42.2.27.8.5.1"
    /// Proxied authorization: the client makes one request as another identity (RFC 4370).
    static let proxiedAuthorization = "2.16.840.1.113730.3.4.18"
    /// Attributes of the entries that an entry names (draft-masarati-ldap-deref-00).
    static let dereference = "1.3.6.1.4.1.4203.666.5.16"

    static let all = [
        pagedResults, manageDsaIT, dontUseCopy, sort, virtualList, assertion, preRead, postRead, persistentSearch, sync,
        passwordPolicy, proxiedAuthorization, dereference,
    ]

    /// Refuses a critical control that the server does not know, or not for the operation (RFC 4511, section 4.1.11).
    static func check(_ message: LDAPMessage) throws {
        for control in message.controls where control.isCritical && !fits(control.identifier, message.request) {
            throw LDAPResult(
                .unavailableCriticalExtension, "The control \(control.identifier.prefix(64)) is not supported here.")
        }
    }

    static func fits(_ control: String, _ request: LDAPRequest) -> Bool {
        switch (control, request) {
        case (passwordPolicy, .bind), (passwordPolicy, .add), (passwordPolicy, .modify),
            (passwordPolicy, .extended(ExtendedOperation.passwordModify, _)):
            true
        case (proxiedAuthorization, .bind), (proxiedAuthorization, .unbind), (proxiedAuthorization, .abandon): false
        case (proxiedAuthorization, .extended(let name, _)):
            name == ExtendedOperation.whoAmI || name == ExtendedOperation.passwordModify
        case (proxiedAuthorization, _), (dereference, .search): true
        case (pagedResults, .search), (dontUseCopy, .search), (sort, .search), (virtualList, .search),
            (persistentSearch, .search), (sync, .search), (assertion, .search), (manageDsaIT, .search):
            true
        case (dontUseCopy, .compare), (assertion, .compare), (manageDsaIT, .compare): true
        case (manageDsaIT, .add), (postRead, .add): true
        case (manageDsaIT, .delete), (assertion, .delete), (preRead, .delete): true
        case (manageDsaIT, .modify), (assertion, .modify), (preRead, .modify), (postRead, .modify): true
        case (manageDsaIT, .modifyDN), (assertion, .modifyDN), (preRead, .modifyDN), (postRead, .modifyDN): true
        default: false
        }
    }
}
