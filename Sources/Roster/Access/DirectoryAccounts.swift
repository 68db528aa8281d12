/// Finds the accounts with which users sign in, and counts sign-ins and changes against their rates.
package struct DirectoryAccounts: Sendable {
    package let directory: Directory
}
