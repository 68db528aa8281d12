enum CommonPasswords { static func contains(_ p: String) -> Bool { p == "password" } }
