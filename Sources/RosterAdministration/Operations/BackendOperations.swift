package struct ListBackends: AdministrationOperation {
    package static let (name, right, isChange) = ("backends", AdministrationRight.administrators, false)
    package init() {}
}

package struct ReadBackend: AdministrationOperation {
    package static let (name, right, isChange) = ("backend", AdministrationRight.administrators, false)
    /// The identifier, which is not `client_id`.
    package let backend: String
    package init(_ backend: String) { self.backend = backend }
}

package struct MakeBackend: AdministrationOperation {
    package static let (name, right, isChange) = ("makeBackend", AdministrationRight.administrators, true)
    package let description: JSONDocument
    package init(_ description: JSONDocument) { self.description = description }
}

package struct ChangeBackend: AdministrationOperation {
    package static let (name, right, isChange) = ("changeBackend", AdministrationRight.administrators, true)
    package let backend: String
    package let description: JSONDocument

    package init(_ backend: String, to description: JSONDocument) {
        (self.backend, self.description) = (backend, description)
    }
}

package struct DeleteBackend: AdministrationOperation {
    package static let (name, right, isChange) = ("deleteBackend", AdministrationRight.administrators, true)
    package let backend: String
    package init(_ backend: String) { self.backend = backend }
}

package struct RenewBackendSecrets: AdministrationOperation {
    package static let (name, right, isChange) = ("renewBackendSecrets", AdministrationRight.administrators, true)
    package let backend: String
    /// The seconds for which the old secret stays good; nil to end the old secret and the old anonymous key.
    package let keptSeconds: Int64?

    package init(of backend: String, keptSeconds: Int64?) { (self.backend, self.keptSeconds) = (backend, keptSeconds) }
}

package struct ListFormerSecrets: AdministrationOperation {
    package static let (name, right, isChange) = ("formerSecrets", AdministrationRight.administrators, false)
    package let backend: String
    package init(of backend: String) { self.backend = backend }
}

package struct EndFormerSecrets: AdministrationOperation {
    package static let (name, right, isChange) = ("endFormerSecrets", AdministrationRight.administrators, true)
    package let backend: String
    package init(of backend: String) { self.backend = backend }
}

package struct ListSignOutNotices: AdministrationOperation {
    package static let (name, right, isChange) = ("signOutNotices", AdministrationRight.administrators, false)
    package let backend: String
    package init(of backend: String) { self.backend = backend }
}

package struct ListBackendUsers: AdministrationOperation {
    package static let (name, right, isChange) = ("backendUsers", AdministrationRight.administrators, false)
    package let backend: String
    /// The largest number of users of the page, 1 to 200.
    package let count: Int
    /// The `next` of the page before; nil for the first page.
    package let after: String?

    package init(of backend: String, count: Int, after: String?) {
        (self.backend, self.count, self.after) = (backend, count, after)
    }
}
