-- Who may sign in, and as what: passwords, the tokens of programs, and the role whose members are administrators. And the
-- identifiers by which provisioning clients know users and roles, which are nobody's business but the client's.

-- Nobody becomes an administrator by what a role is called: the directory names the role.
ALTER TABLE directory ADD COLUMN administrators INTEGER REFERENCES role (id);
-- Signs what is handed out and must come back unaltered, such as the places where pages begin. Hexadecimal.
ALTER TABLE directory ADD COLUMN signing_key TEXT NOT NULL DEFAULT '';
UPDATE directory SET signing_key = hex(randomblob(32));

CREATE TABLE password (
    user INTEGER PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,                         -- with its scheme and parameters
    changed INTEGER NOT NULL                    -- milliseconds since 1970
) STRICT;

CREATE TABLE token (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('administrator', 'provisioning', 'monitoring')),
    digest TEXT NOT NULL UNIQUE,                -- SHA-256 of the token, which nobody keeps
    created INTEGER NOT NULL,
    expires INTEGER
) STRICT;

CREATE TABLE external_id (
    client TEXT NOT NULL,
    subject INTEGER NOT NULL,                   -- a user or a role: their identifiers are counted together
    value TEXT NOT NULL,
    PRIMARY KEY (client, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX external_id_value ON external_id (client, value);
CREATE INDEX external_id_subject ON external_id (subject);

-- A role without a display name is called by its name, so it is found and sorted by it as well.
UPDATE role SET display_name_key = name_key WHERE display_name_key IS NULL;
