/// The times at which values in the system's keychain can be read, after Oracle's `OM_PROP_KEYCHAIN_DATA_PROTECTION`. At each level the
/// values stay on this device: backups of other devices must not hold them.
public enum KeychainProtection: Sendable, Hashable, CaseIterable {
    /// While the device is unlocked, which is the default of Oracle's SDK
    /// (`OM_KEYCHAIN_DATA_ACCESSIBLE_WHEN_UNLOCKED_THIS_DEVICE_ONLY`). Meanwhile calls throw ``SecureStoreError/Code/deviceLocked``.
    case whenUnlocked
    /// After the device was unlocked once since its start, so that an app in the background can renew tokens
    /// (`OM_KEYCHAIN_DATA_ACCESSIBLE_AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY`).
    case afterFirstUnlock
}
