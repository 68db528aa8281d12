import Foundation
import Roster
import RosterCrypto
import RosterOpenID
import RosterText

/// The parameters of an authorization request that a client pushed.
package struct PushedRequest: Sendable, Codable {
    let backend: BackendID
    /// The parameters in order, each with its name and its value.
    package let parameters: [[String]]
}
