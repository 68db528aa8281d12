public import RosterClient

/// The codes of the errors that only `RosterMobileSDK` throws.
extension ClientError.Code {
    /// The secure store has a credential or a key pair with this name already.
    public static let alreadyExists = ClientError.Code(.alreadyExists)
    /// The secure store has no credential or key pair with this name.
    public static let notFound = ClientError.Code(.notFound)
    /// Data was altered, or was encrypted with another key or in another way.
    public static let decryptionFailed = ClientError.Code(.decryptionFailed)
    /// Settings name a server without TLS. Passwords and tokens would be readable in the network.
    public static let insecureServer = ClientError.Code(.insecureServer)
    /// The app's profile does not permit offline authentication, or the device has no stored profile of the app.
    public static let offlineNotAllowed = ClientError.Code(.offlineNotAllowed)
    /// The device has deleted the credential for offline authentication after too many wrong passwords. Sign in online.
    public static let onlineSignInRequired = ClientError.Code(.onlineSignInRequired)
    /// The security service already runs another sign-in.
    public static let signInInProgress = ClientError.Code(.signInInProgress)
}
