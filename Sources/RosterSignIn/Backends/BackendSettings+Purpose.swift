extension BackendSettings {
    /// A kind of client, for which a backend has fitting defaults. The JSON name is `for`. Only the settings that a purpose gives are
    /// stored, and not the purpose itself.
    public enum Purpose: String, Sendable, Hashable, CaseIterable {
        /// An app that people install: a public client whose users sign in with the system's browser, or with name and password, stay
        /// signed in, and use the directory with their own rights.
        case app
        /// A web application on a server: a confidential client whose users sign in with their browser. ``redirectURIs`` are missing.
        case web
        /// A program without users: a confidential client with tokens of its own. ``directoryRole`` gives these tokens rights in the
        /// directory.
        case service
        /// A device without a keyboard, such as a television: a public client that a user approves on another device.
        case device
    }

    /// Makes the settings that fit a purpose.
    ///
    /// ```swift
    /// let settings = BackendSettings(for: .app)
    /// ```
    public init(for purpose: Purpose) {
        self.init(isPublic: [.app, .device].contains(purpose))
        let ownUse: [Scope] = [.openID, .profile, .email, .offlineAccess, .directory]
        switch purpose {
        case .app:
            // The first sample of Oracle's Mobile and Social SDK signs in with name and password.
            grants = [.authorizationCode, .refreshToken, .password]
            redirectURIs = ["http://127.0.0.1/callback"]
            scopes = ownUse
        case .web: grants = [.authorizationCode, .refreshToken]
        case .service:
            grants = [.clientCredentials]
            scopes = [.directory]
        case .device:
            grants = [.deviceCode, .refreshToken]
            scopes = ownUse
        }
    }
}
