/// Tells the state of the directory's file or database.
package struct DirectoryStorage: Sendable {
    package let directory: Directory
}
