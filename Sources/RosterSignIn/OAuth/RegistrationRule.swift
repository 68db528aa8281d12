/// Who may register apps by a request (RFC 7591).
package enum RegistrationRule: String, Sendable, CaseIterable {
    /// Nobody: administrators make backends. The default.
    case off
    /// Administrators, and programs with their rights.
    case administrators
    /// Everyone. Apps get few scopes, and users are always asked.
    case everyone
}
