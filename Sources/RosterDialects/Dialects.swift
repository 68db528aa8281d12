public import RosterREST

extension [ServiceInterface] {
    /// The interfaces of Oracle Mobile and Social, Oracle Mobile Hub and Couchbase Sync Gateway: `.mobileAndSocial`, `.mobileHub` and
    /// `.syncGateway`.
    public static var dialects: [ServiceInterface] { [.mobileAndSocial, .mobileHub, .syncGateway] }
}
