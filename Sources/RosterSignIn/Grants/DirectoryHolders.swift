package import Roster

/// The people who hold grants: users, and people whom an issuer of tokens vouches for.
package struct DirectoryHolders: Sendable {
    package let directory: Directory
}
