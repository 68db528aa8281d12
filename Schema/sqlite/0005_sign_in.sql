-- What people and programs sign in with, and what they hold afterwards: backends (the clients of OAuth), the keys that sign
-- tokens, grants with their refresh tokens, sessions, and users who are known by another issuer's word only.

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
    modified INTEGER NOT NULL,
    UNIQUE (name, version)
) STRICT;

CREATE TABLE signing_key (
    id TEXT PRIMARY KEY,                        -- the thumbprint of RFC 7638
    algorithm TEXT NOT NULL,
    public_key TEXT NOT NULL,                   -- JSON Web Key
    sealed_key TEXT NOT NULL,                   -- the private key, encrypted
    created INTEGER NOT NULL,
    retired INTEGER                             -- since when it signs no more; it is published for a while longer
) STRICT;

-- Known under issuer and subject, and in no way one of the users of this directory.
CREATE TABLE virtual_user (
    number INTEGER PRIMARY KEY,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    roles TEXT NOT NULL,                        -- JSON, as the last token gave them
    seen INTEGER NOT NULL,
    UNIQUE (issuer, subject)
) STRICT;

-- The roles that an issuer's token gave to a user, apart from those that were given here. Each sign-in replaces them.
CREATE TABLE token_role (
    user INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    issuer TEXT NOT NULL,
    role TEXT NOT NULL,
    PRIMARY KEY (user, issuer, role)
) STRICT, WITHOUT ROWID;

-- Whom a backend's tokens stand for. Without its grant no token is worth anything.
CREATE TABLE token_grant (
    number INTEGER PRIMARY KEY,
    salt TEXT NOT NULL,                         -- random: after a backup was restored a number may be given again
    backend INTEGER NOT NULL REFERENCES backend (number) ON DELETE CASCADE,
    user INTEGER REFERENCES user (id) ON DELETE CASCADE,
    virtual_user INTEGER REFERENCES virtual_user (number) ON DELETE CASCADE,
    session TEXT,                               -- the digest of the session that it ends with
    generation INTEGER NOT NULL,                -- of the refresh token that is alive
    rotated INTEGER NOT NULL,                   -- when that one came
    detail TEXT NOT NULL,                       -- JSON: scope, time and means of signing in
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT;
CREATE INDEX token_grant_user ON token_grant (user) WHERE user IS NOT NULL;
CREATE INDEX token_grant_virtual_user ON token_grant (virtual_user) WHERE virtual_user IS NOT NULL;
CREATE INDEX token_grant_backend ON token_grant (backend);
CREATE INDEX token_grant_session ON token_grant (session) WHERE session IS NOT NULL;
CREATE INDEX token_grant_expires ON token_grant (expires);

CREATE TABLE session (
    digest TEXT PRIMARY KEY,                    -- SHA-256 of what the cookie holds
    user INTEGER REFERENCES user (id) ON DELETE CASCADE,
    virtual_user INTEGER REFERENCES virtual_user (number) ON DELETE CASCADE,
    detail TEXT NOT NULL,                       -- JSON: time and means of signing in
    lifetime INTEGER NOT NULL,                  -- milliseconds since it was last used
    used INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_user ON session (user) WHERE user IS NOT NULL;
CREATE INDEX session_virtual_user ON session (virtual_user) WHERE virtual_user IS NOT NULL;
CREATE INDEX session_expires ON session (expires);

-- What must not be taken again until it would have ended anyway: revoked access tokens, used assertions.
CREATE TABLE spent (
    id TEXT PRIMARY KEY,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_expires ON spent (expires);

CREATE TABLE second_factor (
    user INTEGER PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    sealed TEXT NOT NULL                        -- encrypted JSON: the shared secret, recovery codes, challenge questions
) STRICT;

-- What a user allowed a backend to know and do.
CREATE TABLE consent (
    user INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    backend INTEGER NOT NULL REFERENCES backend (number) ON DELETE CASCADE,
    scope TEXT NOT NULL,
    PRIMARY KEY (user, backend)
) STRICT, WITHOUT ROWID;
CREATE INDEX consent_backend ON consent (backend);
