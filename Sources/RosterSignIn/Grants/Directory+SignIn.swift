package import Roster

/// The records of sign-in.
extension Directory {
    /// The grants of apps, from which access and refresh tokens come.
    package var grants: DirectoryGrants { DirectoryGrants(directory: self) }
    /// The people who hold grants: users, and people whom an issuer of tokens vouches for.
    package var holders: DirectoryHolders { DirectoryHolders(directory: self) }
    /// The consents that users have given to apps.
    package var consents: DirectoryConsents { DirectoryConsents(directory: self) }
    /// The devices on which users are signed in.
    package var devices: DirectoryDevices { DirectoryDevices(directory: self) }
    /// The secrets that are stored encrypted.
    package var sealedSecrets: DirectorySecrets { DirectorySecrets(directory: self) }
    /// The tokens and assertions that are good for one use.
    package var spentTokens: SpentTokens { SpentTokens(directory: self) }
    /// The stored records of sign-in that are read alone: API tokens, secrets, keys, addresses and settings.
    package var signInRecords: SignInRecords { SignInRecords(directory: self) }
}
