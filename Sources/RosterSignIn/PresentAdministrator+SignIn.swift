package import Roster

/// The nouns of sign-in that need an administrator who is present.
extension PresentAdministrator {
    /// Makes, changes and ends API tokens.
    package var apiTokens: AdministratorAPITokens { AdministratorAPITokens(administrator: self) }
    /// Makes, changes and deletes backends.
    package var backends: AdministratorBackends { AdministratorBackends(administrator: self) }
    /// Makes and removes signing keys.
    package var keys: AdministratorKeys { AdministratorKeys(administrator: self) }
    /// Ends the access that would stay to somebody who got in.
    package var remainingAccess: AdministratorRemainingAccess { AdministratorRemainingAccess(administrator: self) }
    /// Stores and deletes the settings of the service.
    package var settings: AdministratorSettings { AdministratorSettings(administrator: self) }
}
