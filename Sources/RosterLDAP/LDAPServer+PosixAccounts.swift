extension LDAPServer {
    /// The settings of the entries that hosts read: users as `posixAccount`, roles as `posixGroup`.
    ///
    /// The number of an entry is ``firstNumber`` plus the number of the user or role in the directory. That number is of one entry only,
    /// never changes and is never given again, so that nothing has to be stored. A declared attribute with the same name, such as
    /// `uidNumber`, counts before the computed value.
    public struct PosixAccounts: Sendable, Hashable {
        /// The number that is added, for example 100,000. Choose it above the numbers that the hosts give by themselves.
        public var firstNumber: Int64
        /// The home directory; `%u` stands for the user's name.
        public var home: String
        /// The login shell.
        public var shell: String

        /// Makes settings.
        public init(firstNumber: Int64, home: String = "/home/%u", shell: String = "/bin/bash") {
            (self.firstNumber, self.home, self.shell) = (firstNumber, home, shell)
        }

        /// The settings as entries use them.
        var numbering: PosixNumbering { PosixNumbering(firstNumber: firstNumber, home: home, shell: shell) }

        /// - Throws: ``LDAPServer/Failure``.
        func check() throws {
            // Numbers are 32 bits on hosts, and those below 1,000 are the system's own.
            guard (1_000...1 << 31).contains(firstNumber) else {
                throw Failure(description: "The first number of POSIX accounts is between 1,000 and 2,147,483,648.")
            }
            guard home.hasPrefix("/"), shell.hasPrefix("/") else {
                throw Failure(
                    description: "The home directory and the login shell are absolute paths, such as /home/%u.")
            }
        }
    }
}
