import Foundation
import RosterClient
import RosterMobileSDK
import RosterSecrets
import ServiceTestSupport
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
            try credentials.add(ada, named: "https://a.example")
            #expect(try credentials.credential(named: "https://a.example") == ada)
            ada.password = "new"
            ada.tenant = nil
            ada.properties = [:]
            try credentials.update(ada, named: "https://a.example")
            #expect(try credentials.credential(named: "https://a.example") == ada)
            #expect(try credentials.names() == ["https://a.example"])
            try credentials.delete(named: "https://a.example")
            try credentials.delete(named: "https://a.example")
            #expect(try credentials.credential(named: "https://a.example") == nil)
            #expect(try store.names() == [])
        }
    }

    @Test("Adding replaces what is there, and updating stores what is missing")
    func overwriting() throws {
        try withCredentials { credentials, _ in
            let (ada, bob) = (Credential(userName: "ada", password: "1"), Credential(userName: "bob", password: "2"))
            try credentials.update(ada, named: "k")
            #expect(try credentials.credential(named: "k") == ada)
            try credentials.add(bob, named: "k")
            #expect(try credentials.credential(named: "k") == bob && credentials.names() == ["k"])
        }
    }

    @Test("Of many that add the same name at once, one credential stays whole")
    func race() async throws {
        try await withFolder { folder in
            let (file, key) = (folder.appendingPathComponent("secrets"), folder.appendingPathComponent("key"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let credentials = CredentialStore(try SecureStore(file: file, key: .keyFile(key)))
                        try credentials.add(Credential(userName: "\(number)", password: "p\(number)"), named: "k")
                    }
                }
                try await group.waitForAll()
            }
            let kept = try CredentialStore(SecureStore(file: file, key: .keyFile(key))).credential(named: "k")
            #expect(kept.map { $0.password == "p" + $0.userName } == true)
        }
    }

    @Test("A property has a label and details, and names of its own")
    func properties() throws {
        try withCredentials { credentials, _ in
            let property = StoredProperty("v", label: "Registration", details: "The handle of this device")
            try credentials.setProperty(property, named: "k")
            #expect(try credentials.property(named: "k") == property)
            #expect(try credentials.credential(named: "k") == nil)
            try credentials.setProperty(StoredProperty("w"), named: "k")
            #expect(try credentials.property(named: "k") == StoredProperty("w"))
            #expect(try credentials.propertyNames() == ["k"])
            try credentials.deleteProperty(named: "k")
            #expect(try credentials.property(named: "k") == nil)
        }
    }

    @Test("Another value under the name of a credential is an error")
    func foreign() throws {
        try withCredentials { credentials, store in
            for text in ["", "{}", "[]", "{\"userName\":1,\"password\":\"\"}"] {
                try store.set(Data(text.utf8), named: "credential/k")
                #expect(storeCode { _ = try credentials.credential(named: "k") } == .damagedStore)
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
