-- The table `head` gets a row for each commit, in place of one row that each commit changed. Under a long snapshot, such as that of
-- pg_dump, the server keeps all old versions of a changed row, and each read walked through them. The newest row is found by its key.

ALTER TABLE head DROP COLUMN id;
ALTER TABLE head RENAME COLUMN commits TO number;
ALTER TABLE head
    RESET (fillfactor),
    ADD COLUMN last_id BIGINT NOT NULL DEFAULT 0,   -- the highest identifier ever given, unless `directory.last_id` is higher
    ADD COLUMN server UUID;                         -- the process whose commit this was, which asks after a lost connection
UPDATE head SET last_id = (SELECT last_id FROM directory);
-- With so many rows, the server always plans to use the key. The server counts the rows when the key is made.
INSERT INTO head (number, vocabulary) SELECT past, vocabulary FROM head, generate_series(number - 1000, number - 1) AS past;
ALTER TABLE head ADD PRIMARY KEY (number);
DROP TABLE commit_mark;

CREATE OR REPLACE FUNCTION raise_vocabulary() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE head SET vocabulary = vocabulary + 1 WHERE number = (SELECT max(number) FROM head);
    RETURN NULL;
END $$;

-- Waits until no other transaction writes, and keeps others waiting until this one ends. Every second, a waiting one looks whether the
-- transaction that has the turn waits for its client. If this lasts for three seconds, because the client's machine is paused, the
-- connection of the client is ended.
CREATE FUNCTION wait_for_turn() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF pg_try_advisory_xact_lock(1382249332) THEN RETURN; END IF;
    PERFORM set_config('lock_timeout', '1s', true);
    LOOP
        BEGIN
            PERFORM pg_advisory_xact_lock(1382249332);
            PERFORM set_config('lock_timeout', '0', true);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_stat_clear_snapshot();
            PERFORM pg_terminate_backend(pid) FROM pg_stat_activity JOIN pg_locks USING (pid)
                WHERE locktype = 'advisory' AND objid = 1382249332 AND classid = 0 AND granted AND datname = current_database()
                    AND usename = current_user AND wait_event_type = 'Client' AND state_change < clock_timestamp() - interval '3 seconds';
        END;
    END LOOP;
END $$;
