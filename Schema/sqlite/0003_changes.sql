-- What was created, modified and deleted, in order and without gaps, for as long as the file lives.

CREATE TABLE change (
    sequence INTEGER PRIMARY KEY,               -- 1, 2, 3 …: the writer counts on from the last one
    time INTEGER NOT NULL,                      -- milliseconds since 1970
    actor TEXT NOT NULL,
    kind INTEGER NOT NULL,                      -- 1 created, 2 modified, 3 deleted
    entity INTEGER NOT NULL,                    -- 1 user, 2 role, 3 attribute
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    before TEXT,                                -- JSON objects of what changed; NULL where there was nothing
    after TEXT
) STRICT;

-- Compaction forgets the beginning, never the middle: the last sequence number that is gone.
ALTER TABLE directory ADD COLUMN compacted INTEGER NOT NULL DEFAULT 0;
