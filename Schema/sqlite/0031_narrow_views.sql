-- A token can be that of a reading program, which reads some attributes of users, such as those of the members of one role. A token can
-- also be limited to networks, as app passwords can.
CREATE TABLE new_token (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('administrator', 'provisioning', 'monitoring', 'reading')),
    digest TEXT NOT NULL UNIQUE,                -- SHA-256 of the token, which nobody keeps
    created INTEGER NOT NULL,
    expires INTEGER,
    maker TEXT,
    maker_name TEXT,
    source TEXT,                                -- the key of its name
    attributes TEXT CHECK ((attributes IS NULL) = (role <> 'reading')), -- their names, with spaces between them
    members_of INTEGER,                         -- the role whose members a reading program reads; the role can have been deleted
    networks TEXT NOT NULL DEFAULT ''           -- with spaces between them; empty for all
) STRICT;
INSERT INTO new_token (number, name, name_key, role, digest, created, expires, maker, maker_name, source)
SELECT number, name, name_key, role, digest, created, expires, maker, maker_name, source FROM token;
DROP TABLE token;
ALTER TABLE new_token RENAME TO token;
