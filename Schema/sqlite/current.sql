CREATE TABLE address_notice (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    address TEXT NOT NULL,                      -- the address before the change
    time INTEGER NOT NULL,                      -- of the change, milliseconds since 1970
    PRIMARY KEY (user_id, address)
) STRICT, WITHOUT ROWID;

CREATE TABLE app_password (
    digest TEXT PRIMARY KEY,                    -- HMAC-SHA256 of the app password
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    purpose TEXT NOT NULL,                      -- 'ldap' or 'scim'
    networks TEXT NOT NULL,                     -- those from which it is taken, with spaces between; empty for all
    created INTEGER NOT NULL,                   -- milliseconds since 1970
    expires INTEGER,                            -- NULL for never
    used INTEGER,                               -- the last use, exact to an hour; NULL for never
    epoch INTEGER NOT NULL,
    UNIQUE (user_id, name_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE app_use (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    backend INTEGER NOT NULL REFERENCES backend (number) ON DELETE CASCADE,
    used INTEGER NOT NULL,                      -- milliseconds since 1970, exact to a minute
    ends INTEGER NOT NULL,                      -- the latest end of the grants and of the session
    session TEXT,                               -- the digest of the last session of which the app wants to know the end
    PRIMARY KEY (user_id, backend)
) STRICT, WITHOUT ROWID;

CREATE INDEX app_use_ends ON app_use (ends);

CREATE INDEX app_use_latest ON app_use (backend, used, user_id);

CREATE TABLE attribute (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    definition TEXT NOT NULL                    -- AttributeDefinition as JSON
) STRICT;

CREATE TABLE attribute_rights (
    name TEXT NOT NULL,
    entity TEXT NOT NULL CHECK (entity IN ('user', 'role')),
    readers TEXT,                               -- NULL where they are as they were built in
    writers TEXT,
    PRIMARY KEY (entity, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE "attribute_value" (
    attribute TEXT NOT NULL,                    -- the attribute's name, or name.sub for a part of a complex one
    key ANY NOT NULL,                           -- folded text, or a number
    user_id INTEGER NOT NULL,
    PRIMARY KEY (attribute, key, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE backend (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    client_id TEXT NOT NULL UNIQUE,
    backend_id TEXT NOT NULL UNIQUE,            -- what Oracle-Mobile-Backend-ID names
    secret_digest TEXT,                         -- SHA-256 of a random secret; NULL where the client cannot keep one
    sealed_secret TEXT,                         -- the secret itself, encrypted, only where it signs tokens (HS256)
    anonymous_digest TEXT UNIQUE,               -- SHA-256 of the anonymous key
    settings TEXT NOT NULL,                     -- JSON
    created INTEGER NOT NULL,
    modified INTEGER NOT NULL, maker TEXT, maker_name TEXT,
    UNIQUE (name, version)
) STRICT;

CREATE TABLE backend_secret (
    backend INTEGER NOT NULL REFERENCES backend (number) ON DELETE CASCADE,
    digest TEXT NOT NULL,                       -- SHA-256 of the former secret
    sealed_secret TEXT,                         -- the former secret itself, encrypted, only where it signs tokens (HS256)
    replaced INTEGER NOT NULL,                  -- milliseconds since 1970
    expires INTEGER NOT NULL,
    PRIMARY KEY (backend, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE batched_change (
    sequence INTEGER PRIMARY KEY,               -- the entry in the change feed
    batch INTEGER NOT NULL
) STRICT;

CREATE INDEX batched_change_batch ON batched_change (batch, sequence);

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

CREATE TABLE change_batch (
    number INTEGER PRIMARY KEY,
    actor TEXT NOT NULL,                        -- as the change feed shows it; empty after an erasure
    time INTEGER NOT NULL,                      -- milliseconds since 1970
    lost INTEGER NOT NULL DEFAULT 0             -- how many of its changes are no longer in the change feed
) STRICT;

CREATE INDEX change_sign_in ON change (id, sequence) WHERE kind BETWEEN 4 AND 8;

CREATE TABLE consent (
    user_id INTEGER NOT NULL REFERENCES "users" (id) ON DELETE CASCADE,
    backend INTEGER NOT NULL REFERENCES backend (number) ON DELETE CASCADE,
    scope TEXT NOT NULL,
    PRIMARY KEY (user_id, backend)
) STRICT, WITHOUT ROWID;

CREATE INDEX consent_backend ON consent (backend);

CREATE TABLE directory (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    last_id INTEGER NOT NULL                    -- the highest identifier ever given: none is given twice
, compacted INTEGER NOT NULL DEFAULT 0, administrators INTEGER REFERENCES role (id), signing_key TEXT NOT NULL DEFAULT '', change_days INTEGER CHECK (change_days > 0), sign_in_days INTEGER DEFAULT 180 CHECK (sign_in_days > 0), changes_pruned INTEGER NOT NULL DEFAULT 0, sign_ins_pruned INTEGER NOT NULL DEFAULT 0, sign_in_epoch INTEGER NOT NULL DEFAULT 0, settings_version INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE external_id (
    client TEXT NOT NULL,
    subject INTEGER NOT NULL,                   -- a user or a role: their identifiers are counted together
    value TEXT NOT NULL,
    PRIMARY KEY (client, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX external_id_subject ON external_id (subject);

CREATE INDEX external_id_value ON external_id (client, value);

CREATE TABLE forgotten (
    kind TEXT PRIMARY KEY,
    issued INTEGER NOT NULL,                    -- the latest time at which something forgotten was issued
    expires INTEGER NOT NULL                    -- the latest time at which something forgotten ended
) STRICT, WITHOUT ROWID;

CREATE TABLE given_power (
    role INTEGER PRIMARY KEY REFERENCES role (id) ON DELETE CASCADE,
    power TEXT NOT NULL CHECK (power IN ('help-desk', 'people-editor'))
) STRICT;

CREATE TABLE held_address (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    time INTEGER NOT NULL                       -- milliseconds since 1970
) STRICT;

CREATE TABLE idempotent_change (
    caller TEXT NOT NULL,                       -- who sent the change
    key TEXT NOT NULL,                          -- the client's name for the change
    digest TEXT NOT NULL,                       -- a hash of the change: another change must not have the same key
    answer TEXT NOT NULL,                       -- JSON: the identifiers and numbers in the answer
    created INTEGER NOT NULL,                   -- milliseconds since 1970
    PRIMARY KEY (caller, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotent_change_created ON idempotent_change (created);

CREATE TABLE identity_link (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    user_id INTEGER NOT NULL REFERENCES "users" (id) ON DELETE CASCADE,
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX identity_link_user ON identity_link (user_id);

CREATE TABLE membership_change (
    member INTEGER NOT NULL,                    -- a user, who may have been deleted
    sequence INTEGER NOT NULL,                  -- the entry in the change feed
    kind INTEGER NOT NULL,                      -- 1 became a member, 2 is none any more, 3 became an owner, 4 is none any more
    PRIMARY KEY (member, sequence, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX membership_change_sequence ON membership_change (sequence);

CREATE TABLE migration (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied INTEGER NOT NULL
) STRICT;

CREATE TABLE password (
    user_id INTEGER PRIMARY KEY REFERENCES "users" (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,                         -- with its scheme and parameters
    changed INTEGER NOT NULL                    -- milliseconds since 1970
) STRICT;

CREATE TABLE password_link (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    digest TEXT NOT NULL UNIQUE,                -- SHA-256 of the token
    epoch INTEGER NOT NULL,                     -- the sum of the user's and the directory's sign-in epochs
    expires INTEGER NOT NULL                    -- milliseconds since 1970
, is_for_powers INTEGER NOT NULL DEFAULT 0, is_mailed INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE repeated_sign_in (
    sequence INTEGER PRIMARY KEY,               -- the entry in the change feed
    number INTEGER NOT NULL CHECK (number > 1), -- the sign-ins, with the first
    last INTEGER NOT NULL                       -- the time of the last one, in milliseconds since 1970
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
    member INTEGER NOT NULL REFERENCES "users" (id) ON DELETE CASCADE,
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
    member INTEGER NOT NULL REFERENCES "users" (id) ON DELETE CASCADE,
    PRIMARY KEY (role, member)
) STRICT, WITHOUT ROWID;

CREATE INDEX role_owner_user_inverse ON role_owner_user (member, role);

CREATE VIEW role_power (role, power) AS
    SELECT administrators, 'administrator' FROM directory WHERE administrators IS NOT NULL
    UNION ALL SELECT role, power FROM given_power;

CREATE TABLE second_factor (
    user_id INTEGER PRIMARY KEY REFERENCES "users" (id) ON DELETE CASCADE,
    sealed TEXT NOT NULL                        -- encrypted JSON: the shared secret, recovery codes, challenge questions
) STRICT;

CREATE TABLE session (
    digest TEXT PRIMARY KEY,                    -- SHA-256 of what the cookie holds
    user_id INTEGER REFERENCES "users" (id) ON DELETE CASCADE,
    virtual_user INTEGER REFERENCES virtual_user (number) ON DELETE CASCADE,
    detail TEXT NOT NULL,                       -- JSON: time and means of signing in
    lifetime INTEGER NOT NULL,                  -- milliseconds since it was last used
    used INTEGER NOT NULL,
    expires INTEGER NOT NULL
, ends INTEGER NOT NULL DEFAULT 0, maker TEXT, maker_name TEXT, epoch INTEGER NOT NULL DEFAULT 0, is_spent INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

CREATE TABLE session_app (
    session TEXT NOT NULL,                      -- its digest; the session may have been deleted
    backend INTEGER NOT NULL REFERENCES backend (number) ON DELETE CASCADE,
    subject TEXT NOT NULL,                      -- sub of the app's id tokens
    ended INTEGER,                              -- when the end was noticed; NULL while the session lives
    due INTEGER,                                -- the next attempt to tell the app; NULL while the session lives, and after the last attempt
    attempts INTEGER NOT NULL,
    problem TEXT,                               -- of the last attempt
    PRIMARY KEY (session, backend)
) STRICT, WITHOUT ROWID;

CREATE INDEX session_app_due ON session_app (due) WHERE due IS NOT NULL;

CREATE INDEX session_expires ON session (expires);

CREATE INDEX session_maker ON session (maker) WHERE maker IS NOT NULL;

CREATE INDEX session_user ON session (user_id) WHERE user_id IS NOT NULL;

CREATE INDEX session_virtual_user ON session (virtual_user) WHERE virtual_user IS NOT NULL;

CREATE TABLE setting (
    kind TEXT NOT NULL CHECK (
        kind IN ('jwt-issuer', 'saml-issuer', 'certificate', 'provider', 'social-provider', 'policy')),
    name TEXT NOT NULL,
    value TEXT NOT NULL,                        -- JSON, without its secret
    sealed_secret TEXT,                         -- encrypted with the key file; empty if that was lost; NULL for none
    changed INTEGER NOT NULL,                   -- milliseconds since 1970
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE signing_key (
    id TEXT PRIMARY KEY,                        -- the thumbprint of RFC 7638
    algorithm TEXT NOT NULL,
    public_key TEXT NOT NULL,                   -- JSON Web Key
    sealed_key TEXT NOT NULL,                   -- the private key, encrypted
    created INTEGER NOT NULL,
    retired INTEGER                             -- since when it signs no more; it is published for a while longer
) STRICT;

CREATE TABLE source (
    name_key TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    creates_on_replace INTEGER NOT NULL CHECK (creates_on_replace IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE spent (
    id TEXT PRIMARY KEY,
    expires INTEGER NOT NULL
, issued INTEGER, grant_number INTEGER REFERENCES token_grant (number) ON DELETE CASCADE) STRICT, WITHOUT ROWID;

CREATE INDEX spent_expires ON spent (expires);

CREATE INDEX spent_grant ON spent (grant_number) WHERE grant_number IS NOT NULL;

CREATE VIRTUAL TABLE text_index USING fts5 (
    name, given_name, family_name, common_name, display_name, mail, phone,
    content = '', columnsize = 0, detail = column, tokenize = 'trigram case_sensitive 1'
);

CREATE TABLE "token" (
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
, used INTEGER) STRICT;

CREATE TABLE token_grant (
    number INTEGER PRIMARY KEY,
    salt TEXT NOT NULL,                         -- random: after a backup was restored a number may be given again
    backend INTEGER NOT NULL REFERENCES backend (number) ON DELETE CASCADE,
    user_id INTEGER REFERENCES "users" (id) ON DELETE CASCADE,
    virtual_user INTEGER REFERENCES virtual_user (number) ON DELETE CASCADE,
    session TEXT,                               -- the digest of the session that it ends with
    generation INTEGER NOT NULL,                -- of the refresh token that is alive
    rotated INTEGER NOT NULL,                   -- when that one came
    detail TEXT NOT NULL,                       -- JSON: scope, time and means of signing in
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL
, epoch INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX token_grant_backend ON token_grant (backend);

CREATE INDEX token_grant_expires ON token_grant (expires);

CREATE INDEX token_grant_session ON token_grant (session) WHERE session IS NOT NULL;

CREATE INDEX token_grant_user ON token_grant (user_id, backend, epoch, expires) WHERE user_id IS NOT NULL;

CREATE INDEX token_grant_virtual_user ON token_grant (virtual_user) WHERE virtual_user IS NOT NULL;

CREATE TABLE token_role (
    user_id INTEGER NOT NULL REFERENCES "users" (id) ON DELETE CASCADE,
    issuer TEXT NOT NULL,
    role TEXT NOT NULL,
    PRIMARY KEY (user_id, issuer, role)
) STRICT, WITHOUT ROWID;

CREATE INDEX user_common_name ON users (common_name_key) WHERE common_name_key IS NOT NULL;

CREATE INDEX user_department ON users (department_key) WHERE department_key IS NOT NULL;

CREATE INDEX user_disabled ON users (modified) WHERE active = 0;

CREATE INDEX user_display_name ON users (display_name_key) WHERE display_name_key IS NOT NULL;

CREATE INDEX user_employee_number ON users (employee_number_key) WHERE employee_number_key IS NOT NULL;

CREATE INDEX user_family_name ON users (family_name_key) WHERE family_name_key IS NOT NULL;

CREATE INDEX user_given_name ON users (given_name_key) WHERE given_name_key IS NOT NULL;

CREATE INDEX user_manager ON users (manager) WHERE manager IS NOT NULL;

CREATE INDEX user_modified ON users (modified);

CREATE UNIQUE INDEX user_name ON "users" (name_key);

CREATE INDEX user_title ON users (title_key) WHERE title_key IS NOT NULL;

CREATE INDEX user_without_common_name ON users (common_name_key) WHERE common_name_key IS NULL;

CREATE INDEX user_without_department ON users (department_key) WHERE department_key IS NULL;

CREATE INDEX user_without_display_name ON users (display_name_key) WHERE display_name_key IS NULL;

CREATE INDEX user_without_employee_number ON users (employee_number_key) WHERE employee_number_key IS NULL;

CREATE INDEX user_without_family_name ON users (family_name_key) WHERE family_name_key IS NULL;

CREATE INDEX user_without_given_name ON users (given_name_key) WHERE given_name_key IS NULL;

CREATE INDEX user_without_manager ON users (manager) WHERE manager IS NULL;

CREATE INDEX user_without_title ON users (title_key) WHERE title_key IS NULL;

CREATE TABLE "users" (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    manager INTEGER REFERENCES "users" (id),
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
    employee_number_key TEXT, sign_in_epoch INTEGER NOT NULL DEFAULT 0, starts INTEGER, ends INTEGER,
    CHECK (manager <> id)
) STRICT;

CREATE TABLE verified_address (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    address TEXT NOT NULL,                      -- as the key of a mail address
    time INTEGER NOT NULL
) STRICT;

CREATE TABLE virtual_user (
    number INTEGER PRIMARY KEY,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    roles TEXT NOT NULL,                        -- JSON, as the last token gave them
    seen INTEGER NOT NULL,
    UNIQUE (issuer, subject)
) STRICT;

CREATE TABLE word_change (
    number INTEGER PRIMARY KEY,
    user_id INTEGER NOT NULL,
    removed TEXT NOT NULL,                      -- words, with spaces between
    added TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE word_index USING fts5 (
    words, content = '', columnsize = 0, detail = none, prefix = '3', tokenize = 'ascii'
);

CREATE TABLE 'word_index_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE 'word_index_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'word_index_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
