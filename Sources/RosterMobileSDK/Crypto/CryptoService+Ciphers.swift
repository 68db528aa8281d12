public import Foundation
import RosterClient
import RosterCrypto
import RosterText

extension CryptoService {
    // MARK: Encrypting

    /// Encrypts data with AES. Mirrors `encryptData:withSymmetricKey:outError:`, whose cipher is ``InsecureCipher/init(_:mode:padding:)``.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - key: 16, 24 or 32 bytes, as from ``key(length:)``. Use one key for at most 2³² encryptions with GCM.
    ///   - mode: The mode.
    ///   - context: What the data is for. With GCM, decryption needs the same context; other modes take none.
    /// - Returns: With GCM the nonce of 12 bytes, the encrypted data and the tag of 16 bytes; with CBC the encrypted data.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    public static func encrypt(
        _ data: some DataProtocol, key: some DataProtocol, mode: CipherMode = .gcm, context: String = ""
    ) throws -> Data {
        switch mode {
        case .gcm:
            let (data, key) = try checked(data, key)
            return Data(try ClientError.wrapping { try SecretBox.seal(data, key: key, context: context) })
        case .cbc(let iv, let padding):
            try refuse(context)
            return try encrypt(data, key, .aesCBC, iv: Array(iv), padding)
        }
    }

    /// Encrypts data with an insecure cipher, for old peers. Mirrors
    /// `encryptData:withSymmetricKey:initializationVector:algorithm:padding:mode:base64EncodeOutput:prefixOutputWithAlgorithmName:outError:`.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - key: The key, as long as the algorithm says.
    ///   - cipher: The cipher.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    @available(*, deprecated, message: "Use AES with GCM.")
    public static func encrypt(_ data: some DataProtocol, key: some DataProtocol, insecure cipher: InsecureCipher)
        throws -> Data
    {
        try encrypt(data, key, cipher.kind, iv: cipher.iv, cipher.padding)
    }

    /// Encrypts data with AES, as text in base64.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - key: 16, 24 or 32 bytes.
    ///   - mode: The mode.
    ///   - context: What the data is for, with GCM.
    ///   - isPrefixed: Whether the name of the cipher comes first: `{AES-GCM}`, or `{AES}` for CBC as Oracle's SDK writes.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    public static func encryptText(
        _ data: some DataProtocol, key: some DataProtocol, mode: CipherMode = .gcm, context: String = "",
        isPrefixed: Bool = true
    ) throws -> String {
        let text = Base64.text(try encrypt(data, key: key, mode: mode, context: context))
        return isPrefixed ? "{\(name(mode))}\(text)" : text
    }

    /// Encrypts data with an insecure cipher, as text in base64, for old peers.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - key: The key, as long as the algorithm says.
    ///   - cipher: The cipher.
    ///   - isPrefixed: Whether the name of the algorithm comes first, such as `{3DES}`.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    @available(*, deprecated, message: "Use AES with GCM.")
    public static func encryptText(
        _ data: some DataProtocol, key: some DataProtocol, insecure cipher: InsecureCipher, isPrefixed: Bool = true
    ) throws -> String {
        let text = Base64.text(try encrypt(data, key, cipher.kind, iv: cipher.iv, cipher.padding))
        return isPrefixed ? "{\(cipher.algorithm.rawValue)}\(text)" : text
    }

    // MARK: Decrypting

    /// Decrypts data.
    ///
    /// With CBC, never tell an attacker whether this function failed: who can ask often enough learns the data.
    ///
    /// - Parameters:
    ///   - data: What ``encrypt(_:key:mode:context:)`` returned.
    ///   - key: The key.
    ///   - mode: The mode.
    ///   - context: What the data is for, with GCM.
    /// - Throws: `ClientError`: `decryptionFailed` if the data was altered, or the key or the context is another one;
    ///   `invalidInput`, `cryptographyFailed`.
    public static func decrypt(
        _ data: some DataProtocol, key: some DataProtocol, mode: CipherMode = .gcm, context: String = ""
    ) throws -> Data {
        switch mode {
        case .gcm:
            let (data, key) = try checked(data, key)
            let opened = try ClientError.wrapping { try SecretBox.open(data, key: key, context: context) }
            guard let opened else { throw notDecrypted }
            return Data(opened)
        case .cbc(let iv, let padding):
            try refuse(context)
            return try decrypt(data, key, .aesCBC, iv: Array(iv), padding)
        }
    }

    /// Decrypts data of an old app. Mirrors `decryptData:withSymmetricKey:outError:`.
    ///
    /// - Parameters:
    ///   - data: The encrypted data.
    ///   - key: The key, as long as the algorithm says.
    ///   - cipher: The cipher.
    /// - Throws: `ClientError`: `decryptionFailed` if the data is incomplete or its padding is wrong; most alterations do
    ///   not show. `invalidInput`, `cryptographyFailed`.
    public static func decrypt(_ data: some DataProtocol, key: some DataProtocol, insecure cipher: InsecureCipher)
        throws -> Data
    {
        try decrypt(data, key, cipher.kind, iv: cipher.iv, cipher.padding)
    }

    /// Decrypts text in base64, with or without the name of the cipher.
    ///
    /// - Parameters:
    ///   - text: What ``encryptText(_:key:mode:context:isPrefixed:)`` returned.
    ///   - key: The key.
    ///   - mode: The mode. A name in the text must be that of the mode.
    ///   - context: What the data is for, with GCM.
    /// - Throws: The errors of ``decrypt(_:key:mode:context:)``.
    public static func decrypt(
        text: String, key: some DataProtocol, mode: CipherMode = .gcm, context: String = ""
    ) throws -> Data {
        try decrypt(bytes(text, name(mode)), key: key, mode: mode, context: context)
    }

    /// Decrypts text of an old app in base64, with or without the name of the algorithm. Mirrors
    /// `decryptData:withSymmetricKey:initializationVector:algorithm:padding:mode:isInputPrefixedWithAlgorithmName:isInputBase64Encoded:outError:`.
    ///
    /// - Parameters:
    ///   - text: The encrypted text.
    ///   - key: The key, as long as the algorithm says.
    ///   - cipher: The cipher. A name in the text must be that of the algorithm.
    /// - Throws: The errors of ``decrypt(_:key:insecure:)``.
    public static func decrypt(text: String, key: some DataProtocol, insecure cipher: InsecureCipher) throws -> Data {
        try decrypt(bytes(text, cipher.algorithm.rawValue), key: key, insecure: cipher)
    }

    // MARK: Parts

    private static func name(_ mode: CipherMode) -> String { mode == .gcm ? "AES-GCM" : "AES" }

    private static func encrypt(
        _ data: some DataProtocol, _ key: some DataProtocol, _ kind: BlockCipher.Kind, iv: [UInt8],
        _ padding: CipherPadding
    ) throws -> Data {
        guard let output = try run(data, key, kind, iv, padding, isEncrypting: true) else {
            throw ClientError.invalidInput("The data is not a multiple of \(kind.blockLength) bytes.", "Use padding.")
        }
        return Data(output)
    }

    private static func decrypt(
        _ data: some DataProtocol, _ key: some DataProtocol, _ kind: BlockCipher.Kind, iv: [UInt8],
        _ padding: CipherPadding
    ) throws -> Data {
        guard let output = try run(data, key, kind, iv, padding, isEncrypting: false) else { throw notDecrypted }
        return Data(output)
    }

    private static func run(
        _ data: some DataProtocol, _ key: some DataProtocol, _ kind: BlockCipher.Kind, _ iv: [UInt8],
        _ padding: CipherPadding, isEncrypting: Bool
    ) throws -> [UInt8]? {
        let (data, key) = try checked(data, key, kind.keyLengths)
        guard iv.count == kind.blockLength else {
            throw ClientError.invalidInput(
                "The initialization vector has \(iv.count) bytes.", "Give \(kind.blockLength) bytes.")
        }
        return try ClientError.wrapping {
            try BlockCipher.run(data, kind, key: key, iv: iv, isPadded: padding == .pkcs7, isEncrypting: isEncrypting)
        }
    }

    private static func checked(
        _ data: some DataProtocol, _ key: some DataProtocol, _ lengths: [Int] = [16, 24, 32]
    ) throws -> (data: [UInt8], key: [UInt8]) {
        guard lengths.contains(key.count) else { throw wrongKeyLength(key.count, lengths) }
        return (try data.bounded(), Array(key))
    }

    private static func refuse(_ context: String) throws {
        guard context.isEmpty else {
            throw ClientError.invalidInput("CBC cannot protect a context.", "Use GCM, or give no context.")
        }
    }

    private static func bytes(_ text: String, _ name: String) throws -> [UInt8] {
        var rest = text[...]
        if rest.hasPrefix("{") {
            guard let end = rest.firstIndex(of: "}"),
                rest[..<end].dropFirst().utf8.elementsEqual(name.utf8)
            else {
                throw ClientError.invalidInput(
                    "The encrypted text does not begin with {\(name)}.", "Decrypt with the cipher that the text names.")
            }
            rest = rest[rest.index(after: end)...]
        }
        guard rest.utf8.count <= longestInput, let bytes = Base64.bytes(rest) else {
            throw ClientError.invalidInput("The encrypted text is not base64.", "Give the text as it was written.")
        }
        return bytes
    }
}
