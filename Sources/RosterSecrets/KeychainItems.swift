#if canImport(Security)
    import Foundation
    import Security

    /// Values in the system's keychain. This file is not compiled on Linux, where the project is tested.
    struct KeychainItems: Sendable {
        let service: String
        let group: String?
        let protection: KeychainProtection

        private var accessible: CFString {
            switch protection {
            case .whenUnlocked: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
            case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            }
        }

        private func query(_ name: String?) -> [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecUseDataProtectionKeychain: true,
            ]
            if let name { query[kSecAttrAccount] = name }
            if let group { query[kSecAttrAccessGroup] = group }
            return query
        }

        func bytes(named name: String) throws -> [UInt8]? {
            var query = query(name)
            query[kSecReturnData] = true
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = found as? Data else { throw Self.failure(status) }
            return Array(data)
        }

        func names() throws -> [String] {
            var query = query(nil)
            query[kSecReturnAttributes] = true
            query[kSecMatchLimit] = kSecMatchLimitAll
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return [] }
            guard status == errSecSuccess, let items = found as? [[CFString: Any]] else { throw Self.failure(status) }
            return items.compactMap { $0[kSecAttrAccount] as? String }
        }

        func set(_ value: [UInt8]?, named name: String, if isPresent: Bool?) throws -> Bool {
            guard let value else {
                let status = SecItemDelete(query(name) as CFDictionary)
                guard status == errSecSuccess || status == errSecItemNotFound else { throw Self.failure(status) }
                return true
            }
            let attributes: [CFString: Any] = [
                kSecValueData: Data(value), kSecAttrAccessible: accessible,
            ]
            let item = query(name).merging(attributes) { _, new in new }
            // Another process may add or remove the item in between.
            for _ in 0..<3 {
                if isPresent != false {
                    let status = SecItemUpdate(query(name) as CFDictionary, attributes as CFDictionary)
                    if status == errSecSuccess { return true }
                    guard status == errSecItemNotFound else { throw Self.failure(status) }
                    if isPresent == true { return false }
                }
                let status = SecItemAdd(item as CFDictionary, nil)
                if status == errSecSuccess { return true }
                guard status == errSecDuplicateItem else { throw Self.failure(status) }
                if isPresent == false { return false }
            }
            throw Self.failure(errSecDuplicateItem)
        }

        /// A locked keychain is an error, and never an empty one, so that a locked device signs nobody out.
        private static func failure(_ status: OSStatus) -> SecureStoreError {
            status == errSecInteractionNotAllowed
                ? SecureStoreError(
                    .deviceLocked, "The device is locked, so that the keychain cannot be read.",
                    advice: "Try again after the device is unlocked.")
                : SecureStoreError(
                    .storageFailed, "The keychain answers with the status \(status).",
                    advice: "Check the app's entitlements for the keychain and its access group.")
        }
    }
#endif
