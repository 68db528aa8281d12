CREATE TABLE attribute (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    definition TEXT NOT NULL                    -- AttributeDefinition as JSON
) STRICT;

CREATE TABLE attribute_value (
    attribute TEXT NOT NULL,                    -- the attribute's name, or name.sub for a part of a complex one
    key ANY NOT NULL,                           -- folded text, or a number
    user INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    PRIMARY KEY (attribute, key, user)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE directory (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    last_id INTEGER NOT NULL                    -- the highest identifier ever given: none is given twice
, compacted INTEGER NOT NULL DEFAULT 0, administrators INTEGER REFERENCES role (id), signing_key TEXT NOT NULL DEFAULT '') STRICT;

CREATE TABLE external_id (
    client TEXT NOT NULL,
    subject INTEGER NOT NULL,                   -- a user or a role: their identifiers are counted together
    value TEXT NOT NULL,
    PRIMARY KEY (client, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX external_id_subject ON external_id (subject);

CREATE INDEX external_id_value ON external_id (client, value);

CREATE TABLE migration (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied INTEGER NOT NULL
) STRICT;

CREATE TABLE password (
    user INTEGER PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,                         -- with its scheme and parameters
    changed INTEGER NOT NULL                    -- milliseconds since 1970
) STRICT;

CREATE TABLE role (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    version INTEGER NOT NULL,
    created INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    display_name_key TEXT,
    description_key TEXT,
    attributes TEXT NOT NULL
) STRICT;

CREATE INDEX role_display_name ON role (display_name_key, id) WHERE display_name_key IS NOT NULL;

CREATE TABLE role_member_role (
    role INTEGER NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    member INTEGER NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    PRIMARY KEY (role, member),
    CHECK (role <> member)
) STRICT, WITHOUT ROWID;

CREATE INDEX role_member_role_inverse ON role_member_role (member, role);

CREATE TABLE role_member_user (
    role INTEGER NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    member INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    PRIMARY KEY (role, member)
) STRICT, WITHOUT ROWID;

CREATE INDEX role_member_user_inverse ON role_member_user (member, role);

CREATE UNIQUE INDEX role_name ON role (name_key);

CREATE TABLE role_owner_role (
    role INTEGER NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    member INTEGER NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    PRIMARY KEY (role, member),
    CHECK (role <> member)
) STRICT, WITHOUT ROWID;

CREATE INDEX role_owner_role_inverse ON role_owner_role (member, role);

CREATE TABLE role_owner_user (
    role INTEGER NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    member INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    PRIMARY KEY (role, member)
) STRICT, WITHOUT ROWID;

CREATE INDEX role_owner_user_inverse ON role_owner_user (member, role);

CREATE VIRTUAL TABLE text_index USING fts5 (
    name, given_name, family_name, common_name, display_name, mail,
    content = '', columnsize = 0, tokenize = 'trigram case_sensitive 1'
);

CREATE TABLE token (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('administrator', 'provisioning', 'monitoring')),
    digest TEXT NOT NULL UNIQUE,                -- SHA-256 of the token, which nobody keeps
    created INTEGER NOT NULL,
    expires INTEGER
) STRICT;

CREATE TABLE user (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    manager INTEGER REFERENCES user (id),
    version INTEGER NOT NULL,
    created INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    attributes TEXT NOT NULL,                   -- before the keys: reading it does not have to step over them
    given_name_key TEXT,
    family_name_key TEXT,
    common_name_key TEXT,
    display_name_key TEXT,
    title_key TEXT,
    department_key TEXT,
    employee_number_key TEXT,
    CHECK (manager <> id)
) STRICT;

CREATE INDEX user_common_name ON user (common_name_key, id) WHERE common_name_key IS NOT NULL;

CREATE INDEX user_department ON user (department_key, id) WHERE department_key IS NOT NULL;

CREATE INDEX user_display_name ON user (display_name_key, id) WHERE display_name_key IS NOT NULL;

CREATE INDEX user_employee_number ON user (employee_number_key, id) WHERE employee_number_key IS NOT NULL;

CREATE INDEX user_family_name ON user (family_name_key, id) WHERE family_name_key IS NOT NULL;

CREATE INDEX user_given_name ON user (given_name_key, id) WHERE given_name_key IS NOT NULL;

CREATE INDEX user_manager ON user (manager, id) WHERE manager IS NOT NULL;

CREATE UNIQUE INDEX user_name ON user (name_key);

CREATE INDEX user_title ON user (title_key, id) WHERE title_key IS NOT NULL;
