public import Foundation
import RosterCrypto

/// How the last block of data is filled.
public enum CipherPadding: Sendable, Hashable {
    /// PKCS #7 (RFC 5652, section 6.3).
    case pkcs7
    /// No filling; the data must be a multiple of the block's length.
    case none
}

/// How AES encrypts new data.
public enum CipherMode: Sendable, Hashable {
    /// Galois/counter mode, which also shows that the data was not altered (NIST SP 800-38D). The nonce is random.
    case gcm
    /// Cipher block chaining, which does not show alterations. The initialization vector has 16 bytes, new and random for
    /// each encryption.
    case cbc(iv: Data, padding: CipherPadding = .pkcs7)
}

/// A broken cipher or mode, for data of old apps. Functions that encrypt with this are deprecated.
public struct InsecureCipher: Sendable, Hashable {
    /// The algorithm of a cipher.
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// AES, with keys of 16, 24 or 32 bytes.
        case aes = "AES"
        /// DES, with keys of 8 bytes.
        case des = "DES"
        /// Triple DES, with keys of 24 bytes.
        case tripleDES = "3DES"
    }

    /// The mode of a cipher.
    public enum Mode: Sendable, Hashable {
        /// Cipher block chaining. Without an initialization vector, which Oracle's SDK allows, the vector is zero.
        case cbc(iv: Data?)
        /// Each block for itself, so that equal blocks of data show.
        case ecb
    }

    /// The algorithm.
    public var algorithm: Algorithm
    /// The mode.
    public var mode: Mode
    /// How the last block is filled.
    public var padding: CipherPadding

    /// Makes a cipher. The defaults are those of Oracle's `OMCryptoService encryptData:withSymmetricKey:outError:`.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm.
    ///   - mode: The mode.
    ///   - padding: How the last block is filled.
    public init(_ algorithm: Algorithm = .aes, mode: Mode = .cbc(iv: nil), padding: CipherPadding = .pkcs7) {
        self.algorithm = algorithm
        self.mode = mode
        self.padding = padding
    }

    /// The vector; zeros if the mode has none.
    var iv: [UInt8] {
        if case .cbc(let iv?) = mode { return Array(iv) }
        return [UInt8](repeating: 0, count: kind.blockLength)
    }

    var kind: BlockCipher.Kind {
        switch (algorithm, mode) {
        case (.aes, .cbc): .aesCBC
        case (.aes, .ecb): .aesECB
        case (.des, .cbc): .desCBC
        case (.des, .ecb): .desECB
        case (.tripleDES, .cbc): .tripleDESCBC
        case (.tripleDES, .ecb): .tripleDESECB
        }
    }
}
