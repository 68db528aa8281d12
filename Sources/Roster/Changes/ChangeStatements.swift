import RosterStore

/// The statements of the change feed.
enum ChangeStatements {
    static let columns = ["sequence", "time", "actor", "kind", "entity", "id", "name", "before", "after"]
    static let insert: SQL = """
        INSERT INTO change (sequence, time, actor, kind, entity, id, name, before, after)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """
    /// Adds an entry after the last one.
    static let append = SQL(
        """
        INSERT INTO change (sequence, time, actor, kind, entity, id, name, before, after)
        VALUES (
            max(coalesce((SELECT max(sequence) FROM change), 0), (SELECT compacted FROM directory)) + 1,
            ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """,
        postgreSQL: """
            INSERT INTO change (sequence, time, actor, kind, entity, id, name, before, after)
            VALUES (
                greatest(coalesce((SELECT max(sequence) FROM change), 0), (SELECT compacted FROM directory)) + 1,
                ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
    static let last = SQL(
        "SELECT max(coalesce((SELECT max(sequence) FROM change), 0), (SELECT compacted FROM directory))",
        postgreSQL: """
            SELECT greatest(coalesce((SELECT max(sequence) FROM change), 0), (SELECT compacted FROM directory))
            """)
    static let compacted: SQL = "SELECT compacted FROM directory"
    static let since: SQL = """
        SELECT change.sequence, time, actor, kind, entity, id, name, before, after, number, last,
            (SELECT batch FROM batched_change WHERE batched_change.sequence = change.sequence)
        FROM change LEFT JOIN repeated_sign_in ON repeated_sign_in.sequence = change.sequence
        WHERE change.sequence > ?1 ORDER BY change.sequence LIMIT ?2
        """
    /// The entries before ?1 and from ?2 on, newest first: of kind ?3, about an entity of kind ?4, about a subject with the name or identifier ?5, and by
    /// the actor ?7, each unless it is null.
    static let latest: SQL = """
        SELECT change.sequence, time, actor, kind, entity, id, name, before, after, number, last,
            (SELECT batch FROM batched_change WHERE batched_change.sequence = change.sequence)
        FROM change LEFT JOIN repeated_sign_in ON repeated_sign_in.sequence = change.sequence
        WHERE change.sequence < ?1 AND change.sequence >= ?2 AND (CAST(?3 AS BIGINT) IS NULL OR kind = ?3)
            AND (CAST(?4 AS BIGINT) IS NULL OR entity = ?4)
            AND (CAST(?5 AS TEXT) IS NULL OR name = ?5 OR id = ?6) AND (CAST(?7 AS TEXT) IS NULL OR actor = ?7)
        ORDER BY change.sequence DESC LIMIT ?8
        """
    /// Those of these entries that belong to batch ?9.
    static let latestOfBatch: SQL = """
        SELECT change.sequence, time, actor, kind, entity, id, name, before, after, NULL, NULL, batch
        FROM batched_change JOIN change ON change.sequence = batched_change.sequence
        WHERE batch = ?9 AND change.sequence < ?1 AND change.sequence >= ?2 AND (CAST(?3 AS BIGINT) IS NULL OR kind = ?3)
            AND (CAST(?4 AS BIGINT) IS NULL OR entity = ?4)
            AND (CAST(?5 AS TEXT) IS NULL OR name = ?5 OR id = ?6) AND (CAST(?7 AS TEXT) IS NULL OR actor = ?7)
        ORDER BY batched_change.sequence DESC LIMIT ?8
        """
    /// The latest sign-ins of user ?1, and the refusals, grants and revocations under the user's name, newest first.
    static let signIns: SQL = """
        SELECT change.sequence, time, actor, kind, entity, id, name, before, after, number, last,
            (SELECT batch FROM batched_change WHERE batched_change.sequence = change.sequence)
        FROM change LEFT JOIN repeated_sign_in ON repeated_sign_in.sequence = change.sequence
        WHERE id = ?1 AND kind BETWEEN 4 AND 8 AND entity = 1 ORDER BY change.sequence DESC LIMIT ?2
        """
    /// All entries about user ?1.
    static let ofUser: SQL = """
        SELECT change.sequence, time, actor, kind, entity, id, name, before, after, number, last,
            (SELECT batch FROM batched_change WHERE batched_change.sequence = change.sequence)
        FROM change LEFT JOIN repeated_sign_in ON repeated_sign_in.sequence = change.sequence
        WHERE id = ?1 AND entity = 1 ORDER BY change.sequence DESC LIMIT ?2
        """
    /// Selects the entry since the time ?2 with which a sign-in is alike, among the latest 100 entries about its subject.
    static let alike: SQL = """
        SELECT sequence FROM (
            SELECT sequence, time, actor, kind, entity, name, after FROM change
            WHERE id = ?1 AND kind BETWEEN 4 AND 8 ORDER BY sequence DESC LIMIT 100
        ) AS latest
        WHERE time BETWEEN ?2 AND ?3 AND kind = ?4 AND entity = ?5 AND name = ?6 AND actor = ?7 AND after = ?8
        ORDER BY sequence DESC LIMIT 1
        """
    /// Counts ?2 more sign-ins that are alike with that of the entry ?1, the last one at the time ?3.
    static let countRepeated: SQL = """
        INSERT INTO repeated_sign_in (sequence, number, last) VALUES (?1, ?2 + 1, ?3)
        ON CONFLICT (sequence) DO UPDATE SET number = repeated_sign_in.number + ?2, last = excluded.last
        """
    /// Counts the sequence numbers that the rows cover, and the numbers from the first to the last row. Equal counts
    /// mean that the feed has no gap.
    static let gaps: SQL = """
        SELECT coalesce(sum(CASE kind WHEN 9 THEN sequence - id + 1 ELSE 1 END), 0),
            coalesce(max(sequence), 0) - coalesce(min(CASE kind WHEN 9 THEN id ELSE sequence END), 1) + 1
        FROM change
        """

    /// Selects the entity, the identifier and the name of each user and role whose last entry tells of another state: of a deletion while
    /// the subject is there, or of a change of another name, with the present name; or of a change of a subject that is not there.
    static let unlikeState = SQL(
        """
        WITH last AS (
            SELECT entity, id, kind, name, max(sequence) FROM change WHERE entity IN (1, 2) AND kind IN (1, 2, 3)
            GROUP BY entity, id
        ), state AS (
            SELECT last.*, CASE entity WHEN 1 THEN (SELECT name FROM users WHERE users.id = last.id)
                ELSE (SELECT name FROM role WHERE role.id = last.id) END AS present FROM last
        )
        SELECT entity, id, name, present FROM state
        WHERE (kind = 3) <> (present IS NULL) OR (present IS NOT NULL AND name <> '' AND name <> present)
        """,
        postgreSQL: """
            WITH last AS (
                SELECT DISTINCT ON (entity, id) entity, id, kind, name FROM change
                WHERE entity IN (1, 2) AND kind IN (1, 2, 3) ORDER BY entity, id, sequence DESC
            ), state AS (
                SELECT last.*, CASE entity WHEN 1 THEN (SELECT name FROM users WHERE users.id = last.id)
                    ELSE (SELECT name FROM role WHERE role.id = last.id) END AS present FROM last
            )
            SELECT entity, id, name, present FROM state
            WHERE (kind = 3) <> (present IS NULL) OR (present IS NOT NULL AND name <> '' AND name <> present)
            """)

    // MARK: Large values

    /// The changes after ?1 that may contain large values.
    static let withLargeValues: SQL = """
        SELECT sequence, before, after FROM change
        WHERE sequence > ?1 AND (length(before) > 1024 OR length(after) > 1024
            OR instr(before, '"$binary"') > 0 OR instr(after, '"$binary"') > 0)
        ORDER BY sequence LIMIT 500
        """
    static let setValues: SQL = "UPDATE change SET before = ?2, after = ?3 WHERE sequence = ?1"
}
