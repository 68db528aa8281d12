import Roster
import RosterStore
import TestSupport
import Testing

@testable import RosterPostgreSQL

@Suite("Addresses of databases")
struct AddressTests {
    @Test(
        "No error shows a password, in whatever form the address has it",
        arguments: [
            "postgresql://roster:secret%@h/company", "postgresql://roster:sec%ret@h/company",
            "postgresql://roster:p@secret@h/company", "postgresql://roster:p/secret@h/company",
            "postgresql://roster:p?secret@h/company", "postgresql://roster:secret@[::1]x/company",
            "postgresql://roster:secret@[::1/company", "postgresql://roster:secret@localhost:port/company",
            "postgresql://roster:secret@localhost:1/company",
            "postgresql://roster:secret@localhost:1/company?sslmode=wrong",
            "postgresql://roster@localhost:1/company?password=secret&hots=x",
        ])
    func hidesPasswords(address: String) throws {
        let error = #expect(throws: DirectoryError.self) { try Directory(connectedTo: address) }
        let text = "\(error?.message ?? "") \(error?.advice ?? "")"
        #expect(error?.code == .unreachable)
        for part in ["secret", "sec%ret", "ret@"] { #expect(!text.contains(part), "\(text)") }
    }

    @Test(
        "An address that leads to another machine needs a verified connection",
        arguments: [
            "postgresql://db1/company", "postgresql://localhost,db1/company", "postgresql:///company?host=db1",
            "postgresql://localhost/company?hostaddr=10.0.0.5", "postgresql://localhost/company?%68ostaddr=10.0.0.5",
            "postgresql://localhost/company?service=x", "postgresql://%64b1/company",
            "postgresql://[2001:db8::1]:5432/c",
        ])
    func needsVerification(address: String) throws {
        #expect(throws: StoreError.self) { _ = try ServerAddress(address, environment: [:]) }
        let verified = address + (address.contains("?") ? "&" : "?") + "sslmode=verify-full"
        #expect(throws: Never.self) { _ = try ServerAddress(verified, environment: [:]) }
        #expect(throws: StoreError.self) { _ = try ServerAddress(verified + "&sslmode=require", environment: [:]) }
    }

    @Test("The variables of libpq count where the address names no host")
    func variables() throws {
        for name in ["PGHOST", "PGHOSTADDR", "PGSERVICE"] {
            #expect(throws: StoreError.self) {
                _ = try ServerAddress("postgresql:///c", environment: [name: "10.0.0.5"])
            }
        }
        #expect(throws: Never.self) {
            _ = try ServerAddress("postgresql:///c", environment: ["PGHOST": "/var/run/postgresql"])
            _ = try ServerAddress("postgresql://localhost/c", environment: ["PGHOST": "db1"])
        }
    }

    @Test(
        "The name of an address has its hosts and its database, and nothing of the user",
        arguments: [
            (
                "postgresql://u:p%40%2F@db1:5432,db2/company?sslmode=verify-full&x=a@b",
                "postgresql://db1:5432,db2/company"
            ),
            ("postgresql://u@/company?host=/run/x", "postgresql:///company"),
            ("postgres://[::1]:5433", "postgresql://[::1]:5433"),
        ])
    func names(address: String, name: String) throws {
        #expect(try ServerAddress(address, environment: [:]).name == name)
    }
}
