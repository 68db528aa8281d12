-- The changes that clients have sent with an Idempotency-Key. A client whose answer was lost sends the change again with the same
-- key, and the server gives the answer again without making the change twice. The rows hold identifiers only, no values of people.
CREATE TABLE idempotent_change (
    caller TEXT NOT NULL,                       -- who sent the change
    key TEXT NOT NULL,                          -- the client's name for the change
    digest TEXT NOT NULL,                       -- a hash of the change: another change must not have the same key
    answer TEXT NOT NULL,                       -- JSON: the identifiers and numbers in the answer
    created INTEGER NOT NULL,                   -- milliseconds since 1970
    PRIMARY KEY (caller, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotent_change_created ON idempotent_change (created);
