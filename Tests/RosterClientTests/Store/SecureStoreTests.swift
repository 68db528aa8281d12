import Foundation
import RosterClient
import RosterCrypto
import RosterSecrets
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Secure store in a file")
struct SecureStoreTests {
    private let secret = Data("a secret value".utf8)

    @Test("A value comes back as it was stored, also from a second store on the same file, until it is removed")
    func values() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("secrets")
            let key = StoreKey.keyFile(folder.appendingPathComponent("key"))
            let first = try SecureStore(file: file, key: key)
            let second = try SecureStore(file: file, key: key)
            #expect(try first.data(named: "a") == nil)
            try first.set(Array(secret), named: "a")
            #expect(try second.data(named: "a") == secret)
            try second.set(Data(), named: "a/ü")
            try second.set(Data([0, 255]), named: "b")
            #expect(try first.names() == ["a", "a/ü", "b"])
            #expect(try first.names(withPrefix: "a") == ["a", "a/ü"])
            #expect(try first.data(named: "a/ü") == Data())
            try first.removeAll(withPrefix: "a")
            #expect(try second.names() == ["b"])
            try second.remove(named: "b")
            try second.remove(named: "b")
            #expect(try first.names() == [])
        }
    }

    @Test("Names are the same only if their bytes are")
    func composedNames() throws {
        try withFolder { folder in
            let store = try SecureStore(
                file: folder.appendingPathComponent("secrets"), key: .keyFile(folder.appendingPathComponent("key")))
            try store.set(Data([1]), named: "caf\u{E9}")
            #expect(try store.data(named: "cafe\u{301}") == nil)
            try store.set(Data([2]), named: "cafe\u{301}")
            #expect(try store.data(named: "caf\u{E9}") == Data([1]))
            #expect(try store.names().count == 2)
            try store.removeAll(withPrefix: "cafe")
            #expect(try store.data(named: "caf\u{E9}") == Data([1]) && store.names().count == 1)
        }
    }

    @Test("A store opens with its passphrase, however its accents are composed, and with no other key")
    func passphrase() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("secrets")
            try SecureStore(file: file, key: .passphrase("caf\u{E9}")).set(secret, named: "a")
            #expect(try SecureStore(file: file, key: .passphrase("cafe\u{301}")).data(named: "a") == secret)
            let keys: [StoreKey] = [.passphrase("cafe"), .keyFile(folder.appendingPathComponent("key"))]
            for key in keys { #expect(storeCode { _ = try SecureStore(file: file, key: key) } == .wrongKey) }
            #expect(storeCode { _ = try SecureStore(file: file, key: .passphrase("")) } == .invalidInput)
            let other = folder.appendingPathComponent("other")
            #expect(storeCode { _ = try SecureStore(file: other, key: .passphrase("")) } == .invalidInput)
            #expect(!FileManager.default.fileExists(atPath: other.path))
        }
    }

    @Test("No file of the store holds a key or a value in the clear, and only the owner can read the files")
    func files() throws {
        try withFolder { folder in
            let store = try SecureStore(
                file: folder.appendingPathComponent("secrets"), key: .keyFile(folder.appendingPathComponent("key")))
            try store.set(secret, named: "name of the key")
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let path = folder.appendingPathComponent(name).path
                let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                #expect(bytes.range(of: Data(secret)) == nil && bytes.range(of: Data("name of".utf8)) == nil)
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600, "\(name)")
            }
        }
    }

    @Test("A removed value leaves neither its encrypted bytes nor a temporary file behind")
    func removal() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("secrets")
            let store = try SecureStore(file: file, key: .keyFile(folder.appendingPathComponent("key")))
            let empty = try Data(contentsOf: file).count
            try store.set(secret, named: "a")
            let sealed = try Data(contentsOf: file).suffix(secret.count + 28)
            // A process that was killed while writing leaves such a file.
            try sealed.write(to: folder.appendingPathComponent("secrets.new"))
            try store.remove(named: "a")
            #expect(try Data(contentsOf: file).count == empty)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                #expect(try Data(contentsOf: folder.appendingPathComponent(name)).range(of: sealed) == nil)
            }
        }
    }

    @Test("A new key opens the store afterwards, and the old one does not")
    func changedKey() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("secrets")
            let old = StoreKey.keyFile(folder.appendingPathComponent("old"))
            let store = try SecureStore(file: file, key: old)
            let other = try SecureStore(file: file, key: old)
            try store.set(secret, named: "a")
            try store.changeKey(to: .passphrase("new"))
            #expect(try store.data(named: "a") == secret)
            #expect(storeCode { _ = try other.data(named: "a") } == .wrongKey)
            #expect(storeCode { try other.set(secret, named: "b") } == .wrongKey)
            #expect(storeCode { _ = try SecureStore(file: file, key: old) } == .wrongKey)
            #expect(try SecureStore(file: file, key: .passphrase("new")).data(named: "a") == secret)
        }
    }

    @Test("Whoever had the old key and an old file cannot read the file after the key was changed")
    func newDataKey() throws {
        try withFolder { folder in
            let (file, keyFile) = (folder.appendingPathComponent("secrets"), folder.appendingPathComponent("old"))
            let store = try SecureStore(file: file, key: .keyFile(keyFile))
            try store.set(secret, named: "a")
            /// Decrypts the part of a file after its first bytes, which are the authenticated data.
            func opened(_ bytes: [UInt8], _ range: Range<Int>, _ key: [UInt8]) throws -> [UInt8]? {
                let head = Base64.text(bytes[..<(range.lowerBound == 48 ? 48 : 140)])
                return try SecretBox.open(Array(bytes[range]), key: key, context: head)
            }
            let before = Array(try Data(contentsOf: file))
            let wrapping = try HMACSHA256.code(for: Array(before[16..<48]), key: Data(contentsOf: keyFile))
            let dataKey = try #require(try opened(before, 48..<108, wrapping))
            let entries = try #require(try opened(before, 140..<before.count, dataKey))
            #expect(Data(entries).range(of: secret) != nil)
            try store.changeKey(to: .keyFile(folder.appendingPathComponent("new")))
            let after = Array(try Data(contentsOf: file))
            #expect(after.count == before.count)
            #expect(try opened(after, 140..<after.count, dataKey) == nil)
        }
    }

    @Test("A missing key file is made for a new store only, so that a lost key is noticed")
    func keyFile() throws {
        try withFolder { folder in
            let (file, keyFile) = (folder.appendingPathComponent("secrets"), folder.appendingPathComponent("key"))
            _ = try SecureStore(file: file, key: .keyFile(keyFile))
            #expect(try Data(contentsOf: keyFile).count == 32)
            try FileManager.default.removeItem(at: keyFile)
            #expect(storeCode { _ = try SecureStore(file: file, key: .keyFile(keyFile)) } == .wrongKey)
            #expect(!FileManager.default.fileExists(atPath: keyFile.path))
            try Data(count: 31).write(to: keyFile)
            chmod(keyFile.path, 0o600)
            #expect(storeCode { _ = try SecureStore(file: file, key: .keyFile(keyFile)) } == .wrongKey)
            try Data(count: 32).write(to: keyFile)
            chmod(keyFile.path, 0o600)
            #expect(storeCode { _ = try SecureStore(file: file, key: .keyFile(keyFile)) } == .wrongKey)
        }
    }

    @Test(
        "A key file that others can read or write is refused, also for a new store",
        arguments: [0o640, 0o604, 0o620, 0o602])
    func publicKeyFile(mode: Int) throws {
        try withFolder { folder in
            let (file, keyFile) = (folder.appendingPathComponent("secrets"), folder.appendingPathComponent("key"))
            _ = try SecureStore(file: file, key: .keyFile(keyFile))
            chmod(keyFile.path, mode_t(mode))
            for name in ["secrets", "other"] {
                let file = folder.appendingPathComponent(name)
                #expect(storeCode { _ = try SecureStore(file: file, key: .keyFile(keyFile)) } == .badConfiguration)
            }
            chmod(keyFile.path, 0o400)
            _ = try SecureStore(file: file, key: .keyFile(keyFile))
        }
    }

    @Test("Names and values out of bounds are refused before anything is written")
    func bounds() throws {
        try withFolder { folder in
            let store = try SecureStore(
                file: folder.appendingPathComponent("secrets"), key: .keyFile(folder.appendingPathComponent("key")))
            #expect(storeCode { try store.set(Data(), named: "") } == .invalidInput)
            #expect(storeCode { try store.set(Data(), named: String(repeating: "k", count: 1_025)) } == .invalidInput)
            let large = Data(count: 1 << 20)
            #expect(storeCode { try store.set(large + [0], named: "a") } == .invalidInput)
            try store.set(large, named: String(repeating: "k", count: 1_024))
            #expect(try store.names().count == 1)
        }
    }

    @Test("A store behind a symbolic link can be read, and nothing is written through a link or in its place")
    func links() throws {
        try withFolder { folder in
            let manager = FileManager.default
            let (link, target) = (folder.appendingPathComponent("link"), folder.appendingPathComponent("a/secrets"))
            try manager.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try manager.createSymbolicLink(atPath: link.path, withDestinationPath: "a/secrets")
            let key = StoreKey.keyFile(folder.appendingPathComponent("key"))
            #expect(storeCode { _ = try SecureStore(file: link, key: key) } == .storageFailed, "a new store")
            #expect(!manager.fileExists(atPath: target.path))

            let store = try SecureStore(file: target, key: key)
            try store.set(secret, named: "a")
            let behind = try SecureStore(file: link, key: key)
            #expect(try behind.data(named: "a") == secret)
            #expect(storeCode { try behind.set(Data(), named: "a") } == .storageFailed)
            #expect(storeCode { try behind.remove(named: "a") } == .storageFailed)
            #expect(storeCode { try behind.changeKey(to: .passphrase("p")) } == .storageFailed)

            // Somebody puts a link in the place of the open store.
            let moved = folder.appendingPathComponent("moved")
            try manager.moveItem(at: target, to: moved)
            try manager.createSymbolicLink(atPath: target.path, withDestinationPath: moved.path)
            #expect(storeCode { try store.set(Data(), named: "b") } == .storageFailed)
            #expect(try manager.destinationOfSymbolicLink(atPath: link.path) == "a/secrets")
            #expect(try manager.destinationOfSymbolicLink(atPath: target.path) == moved.path)
            #expect(try SecureStore(file: moved, key: key).names() == ["a"])

            // Links among the folders are the owner's way to the store.
            let folders = folder.appendingPathComponent("folders")
            try manager.createSymbolicLink(atPath: folders.path, withDestinationPath: folder.path)
            try SecureStore(file: folders.appendingPathComponent("moved"), key: key).set(secret, named: "b")
            #expect(try SecureStore(file: moved, key: key).names().sorted() == ["a", "b"])
        }
    }

    @Test("A folder, a pipe, a missing parent and a file without permission are unreadable, and not damaged")
    func unreadable() throws {
        try withFolder { folder in
            let key = StoreKey.passphrase("p")
            func code(_ path: String) -> SecureStoreError.Code? {
                storeCode { _ = try SecureStore(file: folder.appendingPathComponent(path), key: key) }
            }
            #expect(code("") == .unreadableStore)
            #expect(code("missing/secrets") == .unreadableStore)
            mkfifo(folder.appendingPathComponent("pipe").path, 0o600)
            #expect(code("pipe") == .unreadableStore)
            try FileManager.default.createSymbolicLink(
                atPath: folder.appendingPathComponent("loop").path, withDestinationPath: "loop")
            #expect(code("loop") == .unreadableStore)
            #expect(storeCode { _ = try SecureStore(file: URL(string: "https://a.b/c")!, key: key) } == .invalidInput)
            // Root may read everything.
            guard getuid() != 0 else { return }
            let file = folder.appendingPathComponent("secrets")
            _ = try SecureStore(file: file, key: key)
            chmod(file.path, 0)
            #expect(code("secrets") == .unreadableStore)
        }
    }

    @Test(
        "A store whose file has disappeared is unreadable, and not empty, until it is opened anew or the file is back")
    func deleted() throws {
        try withFolder { folder in
            let (file, away) = (folder.appendingPathComponent("secrets"), folder.appendingPathComponent("away"))
            let key = StoreKey.keyFile(folder.appendingPathComponent("key"))
            let store = try SecureStore(file: file, key: key)
            try store.set(secret, named: "a")
            try FileManager.default.moveItem(at: file, to: away)
            #expect(storeCode { _ = try store.data(named: "a") } == .unreadableStore)
            #expect(storeCode { _ = try store.names() } == .unreadableStore)
            #expect(storeCode { try store.set(Data([1]), named: "b") } == .unreadableStore)
            #expect(!FileManager.default.fileExists(atPath: file.path))
            try FileManager.default.moveItem(at: away, to: file)
            #expect(try store.names() == ["a"])
            try FileManager.default.removeItem(at: file)
            #expect(try SecureStore(file: file, key: key).names() == [])
        }
    }

    @Test("Neither descriptions nor mirrors of a store or its key show the passphrase")
    func silence() throws {
        try withFolder { folder in
            let key = StoreKey.passphrase("open sesame")
            let store = try SecureStore(file: folder.appendingPathComponent("secrets"), key: key)
            var shown = "\(key) \(store) \(String(reflecting: key)) \(String(reflecting: store))"
            dump(key, to: &shown)
            dump(store, to: &shown)
            #expect(!shown.contains("sesame"))
            do {
                _ = try SecureStore(file: folder.appendingPathComponent("secrets"), key: .passphrase("closed sesame"))
            } catch {
                #expect(!"\(error) \(String(reflecting: error))".contains("sesame"))
            }
        }
    }
}
