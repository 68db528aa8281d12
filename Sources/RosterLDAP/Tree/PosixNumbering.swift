/// The numbers, the home directories and the shell of POSIX accounts, see ``LDAPServer/PosixAccounts``.
struct PosixNumbering: Sendable {
    let firstNumber: Int64
    let home: String
    let shell: String

    func number(_ id: Int64) -> Int64 { firstNumber + id }
    func home(of uid: String) -> String { home.replacing("%u", with: uid) }
}
