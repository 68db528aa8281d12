import Foundation
import RosterClient

extension DataProtocol {
    /// The bytes of an input of a cryptographic function.
    ///
    /// - Throws: `ClientError` `invalidInput` for more than ``CryptoService/longestInput`` bytes.
    func bounded() throws -> [UInt8] {
        guard count <= CryptoService.longestInput else {
            throw ClientError.invalidInput("The input has more than 1 GiB.", "Divide the input.")
        }
        return Array(self)
    }
}
