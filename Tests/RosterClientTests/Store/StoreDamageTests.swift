import Foundation
import RosterClient
import RosterCrypto
import RosterSecrets
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Damaged files of the secure store")
struct StoreDamageTests {
    @Test("Every single altered byte, every cut and every appended byte is an error, never another value")
    func alterations() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("secrets")
            let key = StoreKey.keyFile(folder.appendingPathComponent("key"))
            let store = try SecureStore(file: file, key: key)
            for number in 0..<3 { try store.set(Data("value \(number)".utf8), named: "key \(number)") }
            let whole = try Data(contentsOf: file)
            func code(_ bytes: Data) throws -> SecureStoreError.Code? {
                try bytes.write(to: file)
                return storeCode { _ = try SecureStore(file: file, key: key) }
            }
            for index in whole.indices {
                var bytes = whole
                bytes[index] ^= UInt8(1 << (index % 8))
                // The version comes first, so that a file of a newer library is not called damaged.
                #expect(try code(bytes) == ((8...9).contains(index) ? .newerStore : .damagedStore), "\(index)")
            }
            for count in whole.indices { #expect(try code(whole.prefix(count)) == .damagedStore, "\(count)") }
            #expect(try code(whole + [0]) == .damagedStore)
            #expect(try code(Data("not a store at all, but a text\n".utf8)) == .damagedStore)
            #expect(try code(whole) == nil)
        }
    }

    @Test("An open store notices that its file was altered in place")
    func altered() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("secrets")
            let store = try SecureStore(file: file, key: .keyFile(folder.appendingPathComponent("key")))
            try store.set(Data([1]), named: "a")
            var bytes = try Data(contentsOf: file)
            bytes[bytes.endIndex - 1] ^= 1
            try bytes.write(to: file)
            #expect(storeCode { _ = try store.data(named: "a") } == .damagedStore)
            #expect(storeCode { try store.set(Data([2]), named: "a") } == .damagedStore)
            #expect(try Data(contentsOf: file) == bytes)
        }
    }

    @Test(
        "Absurd costs in a header are refused before they are paid",
        arguments: [
            (63, 8, 1), (31, 8, 1), (20, 65_535, 65_535), (14, 65_535, 5), (14, 8, 65_535), (0, 8, 5), (14, 0, 5),
        ])
    func costs(logN: Int, r: Int, p: Int) throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("secrets")
            _ = try SecureStore(file: file, key: .passphrase("p"))
            var bytes = Array(try Data(contentsOf: file))
            bytes[11] = UInt8(logN)
            bytes.replaceSubrange(12..<16, with: [UInt8(r >> 8), UInt8(r & 255), UInt8(p >> 8), UInt8(p & 255)])
            // An attacker can make the checksum right.
            bytes.replaceSubrange(108..<140, with: try SHA256.digest(Array(bytes[..<108])))
            try Data(bytes).write(to: file)
            #expect(storeCode { _ = try SecureStore(file: file, key: .passphrase("p")) } == .damagedStore)
        }
    }

    @Test("A salt or a data key that was replaced with its checksum gives a wrong key", arguments: [20, 60])
    func replaced(index: Int) throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("secrets")
            _ = try SecureStore(file: file, key: .passphrase("p"))
            var bytes = Array(try Data(contentsOf: file))
            bytes[index] ^= 1
            bytes.replaceSubrange(108..<140, with: try SHA256.digest(Array(bytes[..<108])))
            try Data(bytes).write(to: file)
            #expect(storeCode { _ = try SecureStore(file: file, key: .passphrase("p")) } == .wrongKey)
        }
    }

    @Test("Random bytes after a right beginning never trap")
    func noise() throws {
        var numbers = SeededNumbers(seed: randomSeed())
        try withFolder { folder in
            let file = folder.appendingPathComponent("secrets")
            for _ in 0..<300 {
                var bytes = Data("ROSTERSS".utf8) + [0, 1, UInt8.random(in: 1...2, using: &numbers)]
                for _ in 0..<Int.random(in: 0..<500, using: &numbers) {
                    bytes.append(UInt8.random(in: 0...255, using: &numbers))
                }
                if bytes.count >= 140, Bool.random(using: &numbers) {
                    bytes.replaceSubrange(108..<140, with: try SHA256.digest(Array(bytes[..<108])))
                }
                try Data(bytes).write(to: file)
                #expect(storeCode { _ = try SecureStore(file: file, key: .passphrase("p")) } != nil)
            }
        }
    }
}
