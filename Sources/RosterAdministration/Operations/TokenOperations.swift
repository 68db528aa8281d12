package import Foundation
package import Roster

package struct ListTokens: AdministrationOperation {
    package static let (name, right, isChange) = ("tokens", AdministrationRight.administrators, false)
    package init() {}
}

package struct MakeToken: AdministrationOperation {
    package static let (name, right, isChange) = ("makeToken", AdministrationRight.administrators, true)
    /// The name of the program.
    package var program: String
    package var role: String
    package var expires: Date?
    package var source: String?
    package var createsOnReplace: Bool?
    package var attributes: [String]?
    package var membersOf: String?
    package var networks: [String] = []

    package init(program: String, role: ProgramRole) { (self.program, self.role) = (program, role.rawValue) }
}

package struct SetTokenSource: AdministrationOperation {
    package static let (name, right, isChange) = ("setTokenSource", AdministrationRight.administrators, true)
    /// The name or the identifier.
    package let token: String
    package let source: String
    package let createsOnReplace: Bool?

    package init(token: String, source: String, createsOnReplace: Bool?) {
        (self.token, self.source, self.createsOnReplace) = (token, source, createsOnReplace)
    }
}

package struct EndToken: AdministrationOperation {
    package static let (name, right, isChange) = ("endToken", AdministrationRight.administrators, true)
    /// The name or the identifier.
    package let token: String
    package init(_ token: String) { self.token = token }
}
