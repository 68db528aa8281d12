/// The interface of SCIM.
enum SCIMInterface {
    /// The path of the interface below the server's root.
    static let base = "/scim/v2"
}
