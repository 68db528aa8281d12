package struct ListSigningKeys: AdministrationOperation {
    package static let (name, right, isChange) = ("signingKeys", AdministrationRight.administrators, false)
    package init() {}
}

package struct MakeSigningKey: AdministrationOperation {
    package static let (name, right, isChange) = ("makeSigningKey", AdministrationRight.administrators, true)
    /// `ES256`, `RS256` or `EdDSA`.
    package let algorithm: String
    package init(_ algorithm: String) { self.algorithm = algorithm }
}

package struct RemoveSigningKey: AdministrationOperation {
    package static let (name, right, isChange) = ("removeSigningKey", AdministrationRight.administrators, true)
    package let key: String
    package init(_ key: String) { self.key = key }
}
