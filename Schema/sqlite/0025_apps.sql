-- Apps with their default settings. A backend keeps its former secrets until they end. The apps that people signed in to with a
-- session are told when it ends. A user's confirmed mail address is known. Backends that have no claim mapping keep that of before,
-- which tells every app all roles.
CREATE TABLE backend_secret (
    backend INTEGER NOT NULL REFERENCES backend (number) ON DELETE CASCADE,
    digest TEXT NOT NULL,                       -- SHA-256 of the former secret
    sealed_secret TEXT,                         -- the former secret itself, encrypted, only where it signs tokens (HS256)
    replaced INTEGER NOT NULL,                  -- milliseconds since 1970
    expires INTEGER NOT NULL,
    PRIMARY KEY (backend, digest)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE verified_address (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    address TEXT NOT NULL,                      -- as the key of a mail address
    time INTEGER NOT NULL
) STRICT;

ALTER TABLE password_link ADD COLUMN is_mailed INTEGER NOT NULL DEFAULT 0;

UPDATE backend
SET settings = json_set(settings, '$.claims', json('{"claims":[],"sendRoleClaim":true,"roleClaimName":"role"}'))
WHERE json_extract(settings, '$.claims') IS NULL;
