import Foundation
import RosterText

/// The fields with which other directories say whether an account may be used, and until when.
///
/// Sources: Active Directory (`userAccountControl`, `accountExpires`), 389 Directory Server and FreeIPA (`nsAccountLock`,
/// `krbPrincipalExpiration`), OpenLDAP's password policy (`pwdAccountLockedTime`, `pwdEndTime`), RFC 2307 (`shadowExpire`),
/// eDirectory (`loginDisabled`, `loginExpirationTime`) and Samba (`sambaAcctFlags`, `sambaKickoffTime`).
enum AccountState: Sendable, Hashable {
    /// The account may be used.
    case active
    /// The account is disabled.
    case disabled
    /// The last day of the account, as `2026-01-31`, or its last moment, as `2026-01-31T12:00:00Z`.
    case ends(String)
    /// The account has no end.
    case endless

    /// A field that tells the state of an account.
    enum Field: String, Sendable {
        case userAccountControl = "useraccountcontrol"
        case accountExpires = "accountexpires"
        case nsAccountLock = "nsaccountlock"
        case krbPrincipalExpiration = "krbprincipalexpiration"
        case pwdAccountLockedTime = "pwdaccountlockedtime"
        case pwdEndTime = "pwdendtime"
        case shadowExpire = "shadowexpire"
        case loginDisabled = "logindisabled"
        case loginExpirationTime = "loginexpirationtime"
        case sambaAcctFlags = "sambaacctflags"
        case sambaKickoffTime = "sambakickofftime"

        /// Finds the field of a name, without regard to case.
        init?(named name: String) { self.init(rawValue: name.lowercased()) }
    }

    /// Reads the value of a field; returns nil for a value that the field cannot have.
    init?(_ text: String, of field: Field) {
        switch field {
        case .userAccountControl:
            // ADS_UF_ACCOUNTDISABLE.
            guard let flags = Self.number(text) else { return nil }
            self = flags & 2 == 0 ? .active : .disabled
        case .nsAccountLock, .loginDisabled:
            switch text.lowercased() {
            case "true": self = .disabled
            case "false": self = .active
            default: return nil
            }
        // The server removes the attribute from an account that is not locked.
        case .pwdAccountLockedTime: self = .disabled
        case .sambaAcctFlags:
            guard text.hasPrefix("["), text.hasSuffix("]") else { return nil }
            self = text.contains("D") ? .disabled : .active
        case .accountExpires:
            // Steps of 100 ns since 1601; 0 and the largest number mean never.
            guard let time = Int64(text), time >= 0 else { return nil }
            guard time != 0, time != .max else {
                self = .endless
                return
            }
            self.init(endingAt: Double(time / 10_000_000) - 11_644_473_600)
        case .shadowExpire:
            guard let day = Int64(text) else { return nil }
            guard day >= 0 else {
                self = .endless
                return
            }
            self.init(endingAt: Double(day) * 86_400)
        case .sambaKickoffTime:
            guard let time = Double(text), time >= 0 else { return nil }
            self.init(endingAt: time)
        case .krbPrincipalExpiration, .pwdEndTime, .loginExpirationTime:
            guard let date = ValueForm.date(text) else { return nil }
            self.init(endingAt: date.timeIntervalSince1970)
        }
    }

    /// The state of an account that ends at a time in seconds since 1970.
    private init(endingAt time: Double) {
        // A year with more than four digits is as good as none.
        guard time < 253_402_300_800 else {
            self = .endless
            return
        }
        let isMidnight = time.truncatingRemainder(dividingBy: 86_400) == 0
        let text = Timestamp.text(Date(timeIntervalSince1970: isMidnight ? time - 1 : time), hasMilliseconds: false)
        self = .ends(isMidnight ? String(text.prefix(10)) : text)
    }

    /// A decimal number, or a hexadecimal one with `0x`.
    private static func number(_ text: String) -> Int64? {
        text.lowercased().hasPrefix("0x") ? Int64(text.dropFirst(2), radix: 16) : Int64(text)
    }

    /// The words with which exports say that an account may be used, or may not.
    static func isActive(_ word: String) -> Bool? {
        switch word.lowercased() {
        case "true", "yes", "1", "enabled", "active", "aktiv", "on leave", "leave", "abwesend", "onboarding",
            "provisioned",
            "password_expired", "password expired", "recovery", "ja", "wahr":
            true
        case "false", "no", "0", "disabled", "inactive", "inaktiv", "suspended", "archived", "staged", "locked_out",
            "locked out", "deprovisioned", "deactivated", "terminated", "nein", "falsch":
            false
        default: nil
        }
    }
}
