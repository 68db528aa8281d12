package import Roster

/// The tokens and assertions that are good for one use.
package struct SpentTokens: Sendable {
    package let directory: Directory
}
