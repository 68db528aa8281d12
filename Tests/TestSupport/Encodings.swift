import Foundation

/// The parameters of an address, decoded.
public func parameters(of address: String) -> [(name: String, value: String)] {
    (URLComponents(string: address)?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
}

/// The bytes of text in base32 without padding, in upper case.
public func base32Decoded(_ base32: String) -> [UInt8] {
    var bits = 0
    var count = 0
    var bytes: [UInt8] = []
    for letter in base32.utf8 {
        let value = letter >= 65 ? Int(letter) - 65 : Int(letter) - 50 + 26
        (bits, count) = (bits << 5 | value, count + 5)
        if count >= 8 {
            bytes.append(UInt8(bits >> (count - 8) & 255))
            count -= 8
            bits &= 1 << count - 1
        }
    }
    return bytes
}
