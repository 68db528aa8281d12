/// The matters that need an administrator's attention.
package struct Attention: Sendable {
    /// The users without a manager, at most ``most``.
    package let withoutManager: Int
    /// The users without a mail address, at most ``most``.
    package let withoutMail: Int
    /// Users with a disabled account to whom others report: at most ``mostNamed`` of the last 1,000 users who were disabled.
    package let disabledManagers: [UserID]
    /// The refused sign-ins of the last 24 hours, among the latest 5,000 entries of the change feed.
    package let refused: Int

    /// The largest number that is counted.
    package static let most = 1_000
    package static let mostNamed = 50
}
