import Foundation
import RosterClient
import TestSupport
import Testing

@Suite("Credential store")
struct CredentialStoreTests {
    private func withCredentials(_ body: (CredentialStore, SecureStore) throws -> Void) throws {
        try withFolder { folder in
            let store = try SecureStore(
                file: folder.appendingPathComponent("secrets"), key: .keyFile(folder.appendingPathComponent("key")))
            try body(CredentialStore(store), store)
        }
    }

    @Test("A credential comes back whole, is updated, and is gone after deleting")
    func life() throws {
        try withCredentials { credentials, store in
            var ada = Credential(
                userName: "ada", password: "p\u{0}\"ß", tenant: "north", properties: ["server": "a", "": ""])
            try credentials.add(ada, for: "https://a.example")
            #expect(try credentials.credential(for: "https://a.example") == ada)
            ada.password = "new"
            ada.tenant = nil
            ada.properties = [:]
            try credentials.update(ada, for: "https://a.example")
            #expect(try credentials.credential(for: "https://a.example") == ada)
            #expect(try credentials.keys() == ["https://a.example"])
            try credentials.delete("https://a.example")
            try credentials.delete("https://a.example")
            #expect(try credentials.credential(for: "https://a.example") == nil)
            #expect(try store.keys() == [])
        }
    }

    @Test("Adding what exists and updating what is missing are errors, and change nothing")
    func misuse() throws {
        try withCredentials { credentials, _ in
            let (ada, bob) = (Credential(userName: "ada", password: "1"), Credential(userName: "bob", password: "2"))
            #expect(clientCode { try credentials.update(ada, for: "k") } == .notFound)
            #expect(try credentials.credential(for: "k") == nil)
            try credentials.add(ada, for: "k")
            #expect(clientCode { try credentials.add(bob, for: "k") } == .alreadyExists)
            #expect(try credentials.credential(for: "k") == ada)
        }
    }

    @Test("One of many that add under the same key succeeds")
    func race() async throws {
        try await withFolder { folder in
            let (file, key) = (folder.appendingPathComponent("secrets"), folder.appendingPathComponent("key"))
            let added = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let credentials = CredentialStore(try SecureStore(file: file, key: .keyFile(key)))
                        let credential = Credential(userName: "\(number)", password: "")
                        return clientCode { try credentials.add(credential, for: "k") } == nil ? 1 : 0
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(added == 1)
        }
    }

    @Test("A property has a label and details, and keys of its own")
    func properties() throws {
        try withCredentials { credentials, _ in
            let property = StoredProperty("v", label: "Registration", details: "The handle of this device")
            try credentials.store(property, for: "k")
            #expect(try credentials.property(for: "k") == property)
            #expect(try credentials.credential(for: "k") == nil)
            try credentials.store(StoredProperty("w"), for: "k")
            #expect(try credentials.property(for: "k") == StoredProperty("w"))
            #expect(try credentials.propertyKeys() == ["k"])
            try credentials.deleteProperty("k")
            #expect(try credentials.property(for: "k") == nil)
        }
    }

    @Test("Another value under the key of a credential is an error")
    func foreign() throws {
        try withCredentials { credentials, store in
            for text in ["", "{}", "[]", "{\"userName\":1,\"password\":\"\"}"] {
                try store.set(Array(text.utf8), for: "credential/k")
                #expect(clientCode { _ = try credentials.credential(for: "k") } == .damagedStore)
            }
        }
    }

    @Test("Neither descriptions nor mirrors show passwords and values")
    func silence() {
        let credential = Credential(userName: "ada", password: "sesame", properties: ["pin": "sesame"])
        let property = StoredProperty("sesame", label: "PIN")
        var shown = "\(credential) \(property) \(String(reflecting: credential)) \(String(reflecting: property))"
        dump([credential], to: &shown)
        dump([property], to: &shown)
        #expect(!shown.contains("sesame") && shown.contains("ada"))
    }
}
