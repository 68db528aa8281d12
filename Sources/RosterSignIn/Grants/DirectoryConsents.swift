package import Roster

/// The consents that users have given to apps.
package struct DirectoryConsents: Sendable {
    package let directory: Directory
}
