package import Roster

/// The stored records of sign-in that are read alone: API tokens, secrets, keys, addresses and settings.
package struct SignInRecords: Sendable {
    package let directory: Directory
}
