import Roster

/// The cost of hashing a new password with scrypt (RFC 7914).
public struct PasswordParameters: Sendable, Hashable {
    /// The binary logarithm of N, scrypt's number of steps and blocks of memory: 1 to 20.
    public let logN: Int
    /// The size of a block in units of 128 bytes: 1 to 64.
    public let r: Int
    /// The number of repetitions, one after the other: 1 to 64.
    public let p: Int

    /// N = 2^15, r = 8, p = 3: 32 MiB and about 0.15 s for each password.
    ///
    /// One of the five equivalent settings of OWASP's Password Storage Cheat Sheet ("N=2^15 (32 MiB), r=8 (1024 bytes),
    /// p=3"; cheatsheetseries.owasp.org, section scrypt). The first of them, N = 2^17 with p = 1, takes 128 MiB for each
    /// sign-in that runs, which a small server with many cores does not have; this one trades memory for time.
    public static let standard = PasswordParameters(checkedLogN: 15, r: 8, p: 3)

    /// N = 2^4, r = 8, p = 1: some microseconds for each password, so that tests are fast.
    ///
    /// Anybody who obtains such a hash finds the password at once, so never use this cost outside tests. A ``SignIn`` with the
    /// standard cost replaces such a hash by one of the standard cost at the user's next sign-in.
    public static let forTests = PasswordParameters(checkedLogN: 4, r: 8, p: 1)

    /// Makes the cost of new hashes.
    ///
    /// - Returns: nil if a number is out of range, or the parameters take more than 256 MiB (128 · N · r) or 1,048,576 steps
    ///   (N · r · p). The directory stores no costlier hash, because every failed sign-in takes as long as the costliest one.
    public init?(logN: Int, r: Int, p: Int) {
        self.init(storedLogN: logN, r: r, p: p)
        guard steps <= PasswordCost.Scheme.scrypt.mostSteps else { return nil }
    }

    /// Makes the cost of a hash that is stored already.
    ///
    /// - Returns: nil if a number is out of range, or the parameters take more than 256 MiB (128 · N · r) or 4,194,304 steps
    ///   (N · r · p), which is about 1 s, six times the time of ``standard``.
    package init?(storedLogN logN: Int, r: Int, p: Int) {
        guard (1...20).contains(logN), (1...64).contains(r), (1...64).contains(p) else { return nil }
        self.init(checkedLogN: logN, r: r, p: p)
        guard memory <= 268_435_456, steps <= 4_194_304 else { return nil }
    }

    private init(checkedLogN: Int, r: Int, p: Int) {
        self.logN = checkedLogN
        self.r = r
        self.p = p
    }

    /// The size of the large table in bytes: 128 · N · r.
    package var memory: Int { 128 * r << logN }
    /// N · r · p, which is proportional to the time.
    package var steps: Int { r * p << logN }
}
