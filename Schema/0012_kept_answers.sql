-- The answers to changes that clients have sent with a key. A client whose answer was lost sends the change again with the same
-- key, and gets the first answer, so that no change is made twice.
CREATE TABLE kept_answer (
    caller TEXT NOT NULL,                       -- who sent the change
    key TEXT NOT NULL,                          -- what the client named it
    request TEXT NOT NULL,                      -- a hash of the change: another change must not have the same key
    answer TEXT NOT NULL,
    kept INTEGER NOT NULL,                      -- milliseconds since 1970
    PRIMARY KEY (caller, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX kept_answer_kept ON kept_answer (kept);
