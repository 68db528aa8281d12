package import Roster

/// The secrets that are stored encrypted.
package struct DirectorySecrets: Sendable {
    package let directory: Directory
}
