package import Roster

/// The grants of apps, from which access and refresh tokens come.
package struct DirectoryGrants: Sendable {
    package let directory: Directory
}
