/// The costs of hashing a new password with scrypt.
package struct PasswordParameters: Sendable, Hashable {
    /// The binary logarithm of N, scrypt's number of steps and blocks of memory: 1 to 20.
    package let logN: Int
    /// The size of a block in units of 128 bytes: 1 to 64.
    package let r: Int
    /// The number of repetitions, one after the other: 1 to 64.
    package let p: Int

    /// N = 2^15, r = 8, p = 3: 32 MiB and about 0.15 s for each password.
    ///
    /// One of the five equivalent settings of OWASP's Password Storage Cheat Sheet ("N=2^15 (32 MiB), r=8 (1024 bytes),
    /// p=3"; cheatsheetseries.owasp.org, section scrypt). The first of them, N = 2^17 with p = 1, takes 128 MiB for each
    /// sign-in that runs, which a small server with many cores does not have; this one trades memory for time.
    package static let standard = PasswordParameters(checkedLogN: 15, r: 8, p: 3)

    /// - Returns: nil if a number is out of range, or the parameters take more than 256 MiB (128 · N · r) or 4,194,304 steps
    ///   (N · r · p), which is about 1 s, six times the time of ``standard``.
    package init?(logN: Int, r: Int, p: Int) {
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
