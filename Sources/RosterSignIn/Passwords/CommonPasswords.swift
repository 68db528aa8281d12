internal import CPage

/// The passwords that attackers try first: the well-known ones of at least 8 characters, in lower case, and common words and
/// names followed by the digits and signs that people add. `Sources/CPage/words/common-passwords.txt` lists them.
package enum CommonPasswords {
    /// All passwords of the list, in lower case. The program reads the list when the set is first used.
    package static let all: Set<String> = {
        let list = page_common_passwords()
        let text = String(decoding: UnsafeBufferPointer(start: list.bytes, count: list.count), as: UTF8.self)
        return Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
    }()
}
