import Foundation
public import Roster

extension SignIn {
    /// Makes the sign-in of a directory for tests, in one line:
    ///
    /// ```swift
    /// let seed = #"{"people": [{"uid": "ada", "password": "a staple of horses"}]}"#
    /// let signIn = try await SignIn.forTests(Fixtures.company(), seed: seed)
    /// let ada = try await signIn.person(named: "ada", password: "a staple of horses")
    /// ```
    ///
    /// Its password hashes have the cost ``PasswordParameters/forTests``, which is unsafe outside tests. Its issuer is
    /// `https://id.example.com`. The sign-in uses the directory's clock; use ``init(_:issuer:trust:direct:tokenSettings:passwordCost:clock:)``
    /// for a test that moves the clock.
    ///
    /// - Parameters:
    ///   - directory: The directory, for example one of `Fixtures`.
    ///   - seed: The text of a seed to load, which may have passwords in plain text, roles, administrators and backends.
    /// - Throws: `DirectoryError` `invalidInput` with the line and the field if the seed cannot be loaded.
    public static func forTests(_ directory: Directory, seed: String = "{}") async throws -> SignIn {
        let signIn = try SignIn(directory, issuer: "https://id.example.com", passwordCost: .forTests)
        try await signIn.load(
            Seed(json: Data(seed.utf8), name: "seed"), grants: .administrators, in: directory.unrestricted)
        return signIn
    }
}
