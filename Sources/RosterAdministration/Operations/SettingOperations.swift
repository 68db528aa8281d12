package struct ListSettings: AdministrationOperation {
    package static let (name, right, isChange) = ("settings", AdministrationRight.administrators, false)
    /// `issuers`, `certificates`, `providers` or `policies`.
    package let collection: String
    package init(_ collection: String) { self.collection = collection }
}

package struct SetSetting: AdministrationOperation {
    package static let (name, right, isChange) = ("setSetting", AdministrationRight.administrators, true)
    package let collection: String
    /// The type within the collection, such as `oidc`; nil for a collection of one type.
    package let type: String?
    package let setting: String
    package let entry: JSONDocument

    package init(_ setting: String, type: String?, in collection: String, to entry: JSONDocument) {
        (self.setting, self.type, self.collection, self.entry) = (setting, type, collection, entry)
    }
}

package struct DeleteSetting: AdministrationOperation {
    package static let (name, right, isChange) = ("deleteSetting", AdministrationRight.administrators, true)
    package let collection: String
    package let type: String?
    package let setting: String

    package init(_ setting: String, type: String?, in collection: String) {
        (self.setting, self.type, self.collection) = (setting, type, collection)
    }
}

/// Sets several policies, all of them or none.
package struct SetPolicies: AdministrationOperation {
    package static let (name, right, isChange) = ("setPolicies", AdministrationRight.administrators, true)
    /// The values by the names of the policies; null gives a policy its standard value again.
    package let values: JSONDocument
    package init(_ values: JSONDocument) { self.values = values }
}

/// Tries an entry before it is stored.
package struct TestSetting: AdministrationOperation {
    package static let (name, right, isChange) = ("testSetting", AdministrationRight.administrators, false)
    package let collection: String
    package let type: String
    package let entry: JSONDocument

    package init(type: String, in collection: String, _ entry: JSONDocument) {
        (self.type, self.collection, self.entry) = (type, collection, entry)
    }
}

package struct ReadBranding: AdministrationOperation {
    package static let (name, right, isChange) = ("branding", AdministrationRight.readers, false)
    package init() {}
}

package struct SetBranding: AdministrationOperation {
    package static let (name, right, isChange) = ("setBranding", AdministrationRight.administrators, true)
    /// An object with some of `name`, `color` and `logo`; null removes one.
    package let branding: JSONDocument
    package init(_ branding: JSONDocument) { self.branding = branding }
}

package struct ListViews: AdministrationOperation {
    package static let (name, right, isChange) = ("views", AdministrationRight.readers, false)
    package init() {}
}

package struct SetView: AdministrationOperation {
    package static let (name, right, isChange) = ("setView", AdministrationRight.administrators, true)
    package let view: String
    /// What follows the question mark in the page's address.
    package let state: String
    /// The name that the view had; nil for the same one.
    package let former: String?

    package init(_ view: String, state: String, former: String?) {
        (self.view, self.state, self.former) = (view, state, former)
    }
}

package struct DeleteView: AdministrationOperation {
    package static let (name, right, isChange) = ("deleteView", AdministrationRight.administrators, true)
    package let view: String
    package init(_ view: String) { self.view = view }
}
