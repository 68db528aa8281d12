import RosterStore

/// The statements of passwords, powers and external identifiers.
enum AccessStatements {
    /// Selects user ?1, whether the user is active, when the account begins and ends, the powers of the roles that have the user
    /// as a direct member, and whether a role with a power contains other roles. If a role does, the directory also runs the slower,
    /// recursive ``powersOfUser``.
    static let standing = SQL(
        """
        SELECT u.id, u.active, u.starts, u.ends,
            (SELECT group_concat(p.power) FROM role_power p
                WHERE EXISTS (SELECT 1 FROM role_member_user m WHERE m.role = p.role AND m.member = u.id)),
            EXISTS (SELECT 1 FROM role_power p
                WHERE EXISTS (SELECT 1 FROM role_member_role l WHERE l.role = p.role))
        FROM users u WHERE u.id = ?1
        """,
        postgreSQL: """
            SELECT u.id, u.active, u.starts, u.ends,
                (SELECT string_agg(p.power, ',') FROM role_power p
                    WHERE EXISTS (SELECT 1 FROM role_member_user m WHERE m.role = p.role AND m.member = u.id)),
                EXISTS (SELECT 1 FROM role_power p
                    WHERE EXISTS (SELECT 1 FROM role_member_role l WHERE l.role = p.role))
            FROM users u WHERE u.id = ?1
            """)
    /// The powers of user ?1, directly or through nested roles.
    static let powersOfUser: SQL = """
        WITH RECURSIVE around (id) AS (
            SELECT role FROM role_member_user WHERE member = ?1
            UNION SELECT l.role FROM around JOIN role_member_role l ON l.member = around.id
        )
        SELECT p.power FROM role_power p WHERE p.role IN (SELECT id FROM around)
        """

    // MARK: Narrow views

    /// Selects a row if user ?2 is a member of role ?1, or of a role nested in role ?1.
    static let isInside: SQL = """
        WITH RECURSIVE inside (id) AS (
            VALUES (CAST(?1 AS BIGINT)) UNION SELECT l.member FROM inside JOIN role_member_role l ON l.role = inside.id
        )
        SELECT 1 FROM role_member_user m WHERE m.member = ?2 AND m.role IN (SELECT id FROM inside) LIMIT 1
        """
    /// Selects role ?1 and the roles nested in role ?1.
    static let rolesInside: SQL = """
        WITH RECURSIVE inside (id) AS (
            VALUES (CAST(?1 AS BIGINT)) UNION SELECT l.member FROM inside JOIN role_member_role l ON l.role = inside.id
        )
        SELECT id FROM inside
        """

    // MARK: Powers

    static let powerOfRole: SQL = "SELECT power FROM role_power WHERE role = ?1"
    static let setPower: SQL = """
        INSERT INTO given_power (role, power) VALUES (?1, ?2) ON CONFLICT (role) DO UPDATE SET power = excluded.power
        """
    static let clearPower: SQL = "DELETE FROM given_power WHERE role = ?1"
    /// Whether role ?1 has a power or is nested in a role that has one.
    static let givesPower: SQL = """
        WITH RECURSIVE around (id) AS (
            VALUES (CAST(?1 AS BIGINT)) UNION SELECT l.role FROM around JOIN role_member_role l ON l.member = around.id
        )
        SELECT 1 FROM role_power p WHERE p.role IN (SELECT id FROM around)
        """
    /// Whether role ?1 has a power, is nested in a role that has one, or whether its members own such a role.
    static let concernsPower: SQL = """
        WITH RECURSIVE around (id) AS (
            VALUES (CAST(?1 AS BIGINT)) UNION SELECT l.role FROM around JOIN role_member_role l ON l.member = around.id
        ), inside (id) AS (
            SELECT role FROM role_power
            UNION SELECT l.member FROM inside JOIN role_member_role l ON l.role = inside.id
        )
        SELECT 1 FROM role_power p WHERE p.role IN (SELECT id FROM around)
        UNION ALL
        SELECT 1 FROM around JOIN role_owner_role o ON o.member = around.id WHERE o.role IN (SELECT id FROM inside)
        """
    /// Whether a user with a power, other than user ?2, has the mail address with the key ?1.
    static let isAddressOfPower: SQL = """
        WITH RECURSIVE inside (id) AS (
            SELECT role FROM role_power
            UNION SELECT l.member FROM inside JOIN role_member_role l ON l.role = inside.id
        )
        SELECT 1 FROM attribute_value v JOIN role_member_user m ON m.member = v.user_id
        WHERE v.attribute = 'emails' AND v.key = ?1 AND v.user_id <> ?2 AND m.role IN (SELECT id FROM inside)
        """
    /// Whether user ?2 owns role ?1, directly or as a member of a role that owns it.
    static let isOwner: SQL = """
        SELECT 1 FROM role_owner_user WHERE role = ?1 AND member = ?2
        UNION ALL
        SELECT 1 WHERE EXISTS (
            WITH RECURSIVE around (id) AS (
                SELECT role FROM role_member_user WHERE member = ?2
                UNION SELECT l.role FROM around JOIN role_member_role l ON l.member = around.id
            )
            SELECT 1 FROM around JOIN role_owner_role o ON o.member = around.id WHERE o.role = ?1
        )
        """

    // MARK: Administrators

    static let administrators: SQL = "SELECT administrators FROM directory"
    static let setAdministrators: SQL = "UPDATE directory SET administrators = ?1"
    /// Whether there is an administrator who is active at the time ?1.
    static let hasAdministrator: SQL = """
        WITH RECURSIVE inside (id) AS (
            SELECT administrators FROM directory WHERE administrators IS NOT NULL
            UNION SELECT l.member FROM inside JOIN role_member_role l ON l.role = inside.id
        )
        SELECT 1 FROM inside JOIN role_member_user m ON m.role = inside.id JOIN users u ON u.id = m.member AND u.active = 1
        WHERE coalesce(u.starts <= ?1, TRUE) AND coalesce(?1 < u.ends, TRUE) LIMIT 1
        """
    static let signingKey: SQL = "SELECT signing_key FROM directory"

    // MARK: Passwords

    static let credential: SQL = """
        SELECT u.id, u.name, u.active, p.hash, EXISTS (SELECT 1 FROM second_factor f WHERE f.user_id = u.id),
            u.sign_in_epoch + d.sign_in_epoch, u.starts, u.ends
        FROM users u CROSS JOIN directory d LEFT JOIN password p ON p.user_id = u.id WHERE u.name_key = ?1
        """
    /// The users with the mail address of the key ?1; two rows say that there are several.
    static let usersWithAddress: SQL = """
        SELECT DISTINCT u.name FROM attribute_value v JOIN users u ON u.id = v.user_id
        WHERE v.attribute = 'emails' AND v.key = ?1 LIMIT 2
        """
    /// Two of the users with the mail address of the key ?1.
    static let holdersOfAddress: SQL = """
        SELECT DISTINCT user_id FROM attribute_value WHERE attribute = 'emails' AND key = ?1 LIMIT 2
        """
    static let holdAddress: SQL = """
        INSERT INTO held_address (user_id, time) VALUES (?1, ?2) ON CONFLICT (user_id) DO UPDATE SET time = excluded.time
        """
    static let releaseAddress: SQL = "DELETE FROM held_address WHERE user_id = ?1"
    static let noteFormerAddress: SQL = """
        INSERT INTO address_notice (user_id, address, time) VALUES (?1, ?2, ?3)
        ON CONFLICT (user_id, address) DO UPDATE SET time = excluded.time
        """
    static let endPasswordLink: SQL = "DELETE FROM password_link WHERE user_id = ?1"
    static let hasPassword: SQL = "SELECT 1 FROM password WHERE user_id = ?1"
    /// The sign-in epoch of user ?1, and whether the user has a second factor.
    static let credentialVersion: SQL = """
        SELECT u.sign_in_epoch + d.sign_in_epoch, EXISTS (SELECT 1 FROM second_factor f WHERE f.user_id = u.id)
        FROM users u CROSS JOIN directory d WHERE u.id = ?1
        """
    static let endSignIns: SQL = "UPDATE users SET sign_in_epoch = sign_in_epoch + 1 WHERE id = ?1"
    /// Ends all sessions and grants, and invalidates every client-credentials token.
    static let endAllSignIns: SQL = "UPDATE directory SET sign_in_epoch = sign_in_epoch + 1"
    static let hasSecondFactor: SQL = "SELECT 1 FROM second_factor WHERE user_id = ?1"
    static let setPassword: SQL = """
        INSERT INTO password (user_id, hash, changed) VALUES (?1, ?2, ?3)
        ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed = excluded.changed
        WHERE password.hash <> excluded.hash
        """
    static let clearPassword: SQL = "DELETE FROM password WHERE user_id = ?1"
    static let passwordHashes: SQL = "SELECT user_id, hash FROM password WHERE user_id > ?1 ORDER BY user_id LIMIT ?2"
    static let upgradePassword: SQL = "UPDATE password SET hash = ?3 WHERE user_id = ?1 AND hash = ?2"

    // MARK: External identifiers

    static let externalID: SQL = "SELECT value FROM external_id WHERE client = ?1 AND subject = ?2"
    static let setExternalID: SQL = """
        INSERT INTO external_id (client, subject, value) VALUES (?1, ?2, ?3)
        ON CONFLICT (client, subject) DO UPDATE SET value = excluded.value
        """
    static let clearExternalID: SQL = "DELETE FROM external_id WHERE client = ?1 AND subject = ?2"
    static let forgetSubject: SQL = "DELETE FROM external_id WHERE subject = ?1"
    /// The subjects with an external identifier of one client.
    static let subjects = "SELECT x.subject FROM external_id x WHERE x.client = ?"
}
