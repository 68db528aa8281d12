package enum HMACSHA256 { package static func code(for: [UInt8], key: [UInt8]) -> [UInt8] { [] } }
package func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool { a == b }
package enum Base64URL { package static func text(_ b: [UInt8]) -> String { "" } }
package struct PasswordKeeper: Sendable {
    package func hash(_ p: String, ofUser: [String]) async throws -> String { p }
}
package struct SignIn: Sendable {
    package let authenticators: [any Authenticator]; package let passwords: PasswordKeeper
}
