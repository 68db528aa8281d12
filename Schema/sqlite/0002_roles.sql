-- Roles, and the four tables behind the five pairs of inverse relationships: who and which roles are members of a
-- role, and who and which roles own it. (The fifth pair, manager and reports, is user.manager.)

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
CREATE UNIQUE INDEX role_name ON role (name_key);
CREATE INDEX role_display_name ON role (display_name_key, id) WHERE display_name_key IS NOT NULL;

CREATE TABLE role_member_user (
    role INTEGER NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    member INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    PRIMARY KEY (role, member)
) STRICT, WITHOUT ROWID;
CREATE INDEX role_member_user_inverse ON role_member_user (member, role);

CREATE TABLE role_member_role (
    role INTEGER NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    member INTEGER NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    PRIMARY KEY (role, member),
    CHECK (role <> member)
) STRICT, WITHOUT ROWID;
CREATE INDEX role_member_role_inverse ON role_member_role (member, role);

CREATE TABLE role_owner_user (
    role INTEGER NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    member INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    PRIMARY KEY (role, member)
) STRICT, WITHOUT ROWID;
CREATE INDEX role_owner_user_inverse ON role_owner_user (member, role);

CREATE TABLE role_owner_role (
    role INTEGER NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    member INTEGER NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    PRIMARY KEY (role, member),
    CHECK (role <> member)
) STRICT, WITHOUT ROWID;
CREATE INDEX role_owner_role_inverse ON role_owner_role (member, role);
