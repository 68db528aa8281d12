import RosterStore

enum GrantStatements {
    // MARK: Grants

    static let insert: SQL = """
        INSERT INTO token_grant
            (salt, backend, user_id, virtual_user, session, generation, rotated, detail, created, expires, epoch)
        SELECT ?1, ?2, ?3, ?4, ?5, 1, ?7, ?6, ?7, ?8,
            coalesce(?9, sign_in_epoch + coalesce((SELECT sign_in_epoch FROM users WHERE id = ?3), 0))
        FROM directory RETURNING number
        """
    /// A grant with its holder, who may have been deleted or disabled since, and whose account may not be usable at the time ?2.
    static let byNumber: SQL = """
        SELECT g.number, g.salt, g.backend, g.user_id, g.virtual_user, g.session, g.generation, g.rotated, g.detail,
            g.created, g.expires,
            coalesce(u.active = 1 AND coalesce(u.starts <= ?2, TRUE) AND coalesce(?2 < u.ends, TRUE), TRUE) AND g.epoch = d.sign_in_epoch + coalesce(u.sign_in_epoch, 0), g.epoch
        FROM token_grant g CROSS JOIN directory d LEFT JOIN users u ON u.id = g.user_id WHERE g.number = ?1
        """
    /// The standing of grant ?1 at the time ?3, and whether its token ?2 was revoked.
    static let standing: SQL = """
        SELECT g.salt, g.expires,
            coalesce(u.active = 1 AND coalesce(u.starts <= ?3, TRUE) AND coalesce(?3 < u.ends, TRUE), TRUE)
            AND g.epoch = d.sign_in_epoch + coalesce(u.sign_in_epoch, 0),
            u.name, EXISTS (SELECT 1 FROM spent WHERE id = ?2), v.issuer, v.subject
        FROM token_grant g CROSS JOIN directory d LEFT JOIN users u ON u.id = g.user_id
            LEFT JOIN virtual_user v ON v.number = g.virtual_user
        WHERE g.number = ?1
        """
    static let rotate: SQL = "UPDATE token_grant SET generation = generation + 1, rotated = ?2 WHERE number = ?1"
    static let delete: SQL = "DELETE FROM token_grant WHERE number = ?1"
    static let deleteOfUserAndBackend: SQL = "DELETE FROM token_grant WHERE user_id = ?1 AND backend = ?2"
    static let deleteOfBackend: SQL = "DELETE FROM token_grant WHERE backend = ?1"
    static let deleteOfSession: SQL = "DELETE FROM token_grant WHERE session = ?1"
    static let deleteExpired: SQL = "DELETE FROM token_grant WHERE expires <= ?1"

    /// The apps with living grants for user ?1 at the time ?2: of each its name, and when the first began and the last ends.
    static let appsOfUser: SQL = """
        SELECT b.client_id, b.name, b.version, min(g.created), max(g.expires)
        FROM token_grant g JOIN backend b ON b.number = g.backend CROSS JOIN directory d JOIN users u ON u.id = g.user_id
        WHERE g.user_id = ?1 AND g.expires > ?2 AND g.epoch = d.sign_in_epoch + u.sign_in_epoch
        GROUP BY b.number ORDER BY b.name, b.version
        """

    // MARK: Sessions

    static let insertSession: SQL = """
        INSERT INTO session
            (digest, user_id, virtual_user, detail, lifetime, used, expires, ends, maker, maker_name, epoch)
        SELECT ?1, ?2, ?3, ?4, ?5, ?6, CASE WHEN CAST(?7 AS BIGINT) < CAST(?8 AS BIGINT) THEN ?7 ELSE ?8 END, ?8, ?9, ?10,
            coalesce(?11, sign_in_epoch + coalesce((SELECT sign_in_epoch FROM users WHERE id = ?2), 0))
        FROM directory
        """
    /// The session ?1, and whether its holder's account can be used at the time ?2.
    static let session: SQL = """
        SELECT s.digest, s.user_id, s.virtual_user, s.detail, s.lifetime, s.used, s.expires,
            coalesce(u.active = 1 AND coalesce(u.starts <= ?2, TRUE) AND coalesce(?2 < u.ends, TRUE), TRUE) AND s.epoch = d.sign_in_epoch + coalesce(u.sign_in_epoch, 0),
            u.name, v.issuer, v.subject, s.ends, s.epoch, s.is_spent
        FROM session s CROSS JOIN directory d LEFT JOIN users u ON u.id = s.user_id
            LEFT JOIN virtual_user v ON v.number = s.virtual_user
        WHERE s.digest = ?1
        """
    static let touchSession: SQL =
        "UPDATE session SET used = ?2, expires = CASE WHEN ?3 < ends THEN ?3 ELSE ends END WHERE digest = ?1"
    static let spendSession: SQL = """
        UPDATE session SET is_spent = 1, lifetime = ?2, used = ?3, expires = CASE WHEN ?4 < ends THEN ?4 ELSE ends END
        WHERE digest = ?1 AND is_spent = 0
        """
    static let renewSession: SQL = """
        UPDATE session SET detail = ?4, used = ?5, expires = CASE WHEN CAST(?5 AS BIGINT) + lifetime < ends THEN CAST(?5 AS BIGINT) + lifetime ELSE ends END, epoch = coalesce(?6, epoch)
        WHERE digest = ?1 AND user_id IS NOT DISTINCT FROM ?2 AND virtual_user IS NOT DISTINCT FROM ?3 AND expires > ?5
        """
    /// The living sessions of user ?1 at the time ?2, the one that was used last first.
    static let sessionsOfUser: SQL = """
        SELECT s.digest, s.user_id, s.virtual_user, s.detail, s.lifetime, s.used, s.expires, 1,
            u.name, NULL, NULL, s.ends, s.epoch, s.is_spent, s.maker_name
        FROM session s CROSS JOIN directory d JOIN users u ON u.id = s.user_id
        WHERE s.user_id = ?1 AND s.expires > ?2 AND s.is_spent = 0 AND s.epoch = d.sign_in_epoch + u.sign_in_epoch
        ORDER BY s.used DESC LIMIT 200
        """
    static let deleteSession: SQL = "DELETE FROM session WHERE digest = ?1"
    static let deleteExpiredSessions: SQL = "DELETE FROM session WHERE expires <= ?1"

    // MARK: What must not be used twice

    static let spend: SQL = """
        INSERT INTO spent (id, issued, expires, grant_number)
        VALUES (?1, ?2, ?3, (SELECT number FROM token_grant WHERE number = ?4)) ON CONFLICT (id) DO NOTHING
        """
    /// Whether ?1 is used up, or may have been: it is of kind ?2, was issued at ?3 and ends at ?4, and things of its kind
    /// that were issued then or later and ended then or later have been forgotten.
    static let isSpent: SQL = """
        SELECT 1 FROM spent WHERE id = ?1
        UNION ALL SELECT 1 FROM forgotten WHERE kind = ?2 AND issued >= ?3 AND expires >= ?4
        """
    /// Keeps the latest times of the uses that ``deleteExpiredSpent`` is about to delete. A text without a colon is of the kind ''.
    static let noteForgotten: SQL = """
        INSERT INTO forgotten (kind, issued, expires)
        SELECT coalesce(substr(id, 1, nullif(instr(id, ':'), 0) - 1), ''), max(coalesce(issued, expires)), max(expires) FROM spent
        WHERE expires <= ?1 AND grant_number IS NULL GROUP BY 1
        ON CONFLICT (kind) DO UPDATE SET
            issued = CASE WHEN forgotten.issued < excluded.issued THEN excluded.issued ELSE forgotten.issued END,
            expires = CASE WHEN forgotten.expires < excluded.expires THEN excluded.expires ELSE forgotten.expires END
        """
    static let deleteExpiredSpent: SQL = "DELETE FROM spent WHERE expires <= ?1 AND grant_number IS NULL"

    // MARK: Signing keys

    static let keys: SQL =
        "SELECT id, algorithm, public_key, sealed_key, created, retired FROM signing_key ORDER BY created"
    static let insertKey: SQL = """
        INSERT INTO signing_key (id, algorithm, public_key, sealed_key, created) VALUES (?1, ?2, ?3, ?4, ?5)
        """
    static let retireKeys: SQL = """
        UPDATE signing_key SET retired = ?3 WHERE algorithm = ?1 AND id <> ?2 AND retired IS NULL
        """
    static let deleteKey: SQL = "DELETE FROM signing_key WHERE id = ?1"

    // MARK: Virtual users

    /// The virtual user with the issuer ?1 and the subject ?2, or with the number ?3.
    static let virtualUser: SQL = """
        SELECT number, issuer, subject, name, roles FROM virtual_user WHERE (issuer = ?1 AND subject = ?2) OR number = ?3
        """
    static let insertVirtualUser: SQL = """
        INSERT INTO virtual_user (number, issuer, subject, name, roles, seen) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        """
    static let updateVirtualUser: SQL = "UPDATE virtual_user SET name = ?2, roles = ?3, seen = ?4 WHERE number = ?1"
    static let tokenRoles: SQL = "SELECT role FROM token_role WHERE user_id = ?1 ORDER BY role"
    static let clearTokenRoles: SQL = "DELETE FROM token_role WHERE user_id = ?1 AND issuer = ?2"
    static let keepTokenRoles = SQL(
        "DELETE FROM token_role WHERE issuer NOT IN (SELECT value FROM json_each(?1))",
        postgreSQL: """
            DELETE FROM token_role WHERE issuer NOT IN (SELECT json_array_elements_text(CAST(?1 AS json)))
            """)
    static let addTokenRole: SQL = """
        INSERT INTO token_role (user_id, issuer, role) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING
        """

    // MARK: What is encrypted with the key file

    static let secretTables: SQL = """
        SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('signing_key', 'second_factor', 'backend')
        """
    /// Also for files with older schemas, in which the column `user_id` of second factors has another name.
    static let sealedSamples = SQL(
        """
        SELECT * FROM (SELECT 'signing_key', id, sealed_key FROM signing_key ORDER BY created DESC LIMIT 1)
        UNION ALL SELECT * FROM (SELECT 'second_factor', rowid, sealed FROM second_factor WHERE sealed <> '' LIMIT 1)
        UNION ALL SELECT * FROM
            (SELECT 'backend', client_id, sealed_secret FROM backend WHERE sealed_secret IS NOT NULL LIMIT 1)
        """,
        postgreSQL: """
            SELECT * FROM (SELECT 'signing_key', id, sealed_key FROM signing_key ORDER BY created DESC LIMIT 1) AS k
            UNION ALL SELECT * FROM
                (SELECT 'second_factor', CAST(user_id AS TEXT), sealed FROM second_factor WHERE sealed <> '' LIMIT 1) AS f
            UNION ALL SELECT * FROM
                (SELECT 'backend', client_id, sealed_secret FROM backend WHERE sealed_secret IS NOT NULL LIMIT 1) AS b
            """)
    static let sealedFactors: SQL = """
        SELECT u.id, u.name FROM second_factor f JOIN users u ON u.id = f.user_id WHERE f.sealed <> '' ORDER BY u.name_key
        """
    /// An empty text represents a second factor that was lost with its key file.
    static let loseFactors: SQL = "UPDATE second_factor SET sealed = ''"

    // MARK: Second factors and consent

    static let secondFactor: SQL = "SELECT sealed FROM second_factor WHERE user_id = ?1"
    static let setSecondFactor: SQL = """
        INSERT INTO second_factor (user_id, sealed) VALUES (?1, ?2)
        ON CONFLICT (user_id) DO UPDATE SET sealed = excluded.sealed
        """
    static let clearSecondFactor: SQL = "DELETE FROM second_factor WHERE user_id = ?1"
    static let consent: SQL = "SELECT scope FROM consent WHERE user_id = ?1 AND backend = ?2"
    static let consents: SQL = """
        SELECT b.client_id, b.name, b.version, c.scope FROM consent c JOIN backend b ON b.number = c.backend
        WHERE c.user_id = ?1 ORDER BY b.name, b.version
        """
    static let setConsent: SQL = """
        INSERT INTO consent (user_id, backend, scope) VALUES (?1, ?2, ?3)
        ON CONFLICT (user_id, backend) DO UPDATE SET scope = excluded.scope
        """
    static let clearConsent: SQL = "DELETE FROM consent WHERE user_id = ?1 AND backend = ?2"

    static let linkedUser: SQL = "SELECT user_id FROM identity_link WHERE issuer = ?1 AND subject = ?2"
    static let linkCandidate: SQL = """
        SELECT u.id, u.name, EXISTS (SELECT 1 FROM identity_link l WHERE l.user_id = u.id),
            EXISTS (SELECT 1 FROM password p WHERE p.user_id = u.id)
        FROM users u WHERE u.name_key = ?1
        """
    static let link: SQL = "INSERT INTO identity_link (issuer, subject, user_id) VALUES (?1, ?2, ?3)"

    // MARK: Users and roles that other issuers name

    static let userByNameKey: SQL = """
        SELECT id, name, active = 1 AND coalesce(starts <= ?2, TRUE) AND coalesce(?2 < ends, TRUE) FROM users WHERE name_key = ?1
        """
    /// The users one of whose addresses has the key ?1, and whether their accounts can be used at the time ?2.
    static let usersByMail: SQL = """
        SELECT u.id, u.active = 1 AND coalesce(u.starts <= ?2, TRUE) AND coalesce(?2 < u.ends, TRUE), u.attributes FROM attribute_value v JOIN users u ON u.id = v.user_id
        WHERE v.attribute = 'emails' AND v.key = ?1
        """
    /// The role whose name has the key ?1, and those that it is nested in: whether it is that one, and whether it has
    /// a power.
    static let rolesAround: SQL = """
        WITH RECURSIVE around (id) AS (
            SELECT id FROM role WHERE name_key = ?1
            UNION SELECT l.role FROM around JOIN role_member_role l ON l.member = around.id
        )
        SELECT r.name, r.name_key = ?1, EXISTS (SELECT 1 FROM role_power p WHERE p.role = r.id)
        FROM around JOIN role r ON r.id = around.id
        """
}
