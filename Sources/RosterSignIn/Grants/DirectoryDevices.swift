package import Roster

/// The devices on which users are signed in.
package struct DirectoryDevices: Sendable {
    package let directory: Directory
}
