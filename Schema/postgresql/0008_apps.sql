-- Apps with their default settings. A backend keeps its former secrets until they end. The apps that people signed in to with a
-- session are told when it ends. A user's confirmed mail address is known. Backends that have no claim mapping keep that of before,
-- which tells every app all roles.
CREATE TABLE backend_secret (
    backend BIGINT NOT NULL REFERENCES backend (number) ON DELETE CASCADE,
    digest TEXT COLLATE "C" NOT NULL,           -- SHA-256 of the former secret
    sealed_secret TEXT COLLATE "C",             -- the former secret itself, encrypted, only where it signs tokens (HS256)
    replaced BIGINT NOT NULL,                   -- milliseconds since 1970
    expires BIGINT NOT NULL,
    PRIMARY KEY (backend, digest)
);

CREATE TABLE session_app (
    session TEXT COLLATE "C" NOT NULL,          -- its digest; the session may have been deleted
    backend BIGINT NOT NULL REFERENCES backend (number) ON DELETE CASCADE,
    subject TEXT COLLATE "C" NOT NULL,          -- sub of the app's id tokens
    ended BIGINT,                               -- when the end was noticed; NULL while the session lives
    due BIGINT,                                 -- the next attempt to tell the app; NULL while the session lives, and after the last attempt
    attempts BIGINT NOT NULL,
    problem TEXT COLLATE "C",                   -- of the last attempt
    PRIMARY KEY (session, backend)
);
CREATE INDEX session_app_due ON session_app (due) WHERE due IS NOT NULL;

CREATE TABLE verified_address (
    user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    address TEXT COLLATE "C" NOT NULL,          -- as the key of a mail address
    time BIGINT NOT NULL
);

ALTER TABLE password_link ADD COLUMN is_mailed BIGINT NOT NULL DEFAULT 0;

UPDATE backend
SET settings = (CAST(settings AS jsonb) || '{"claims":{"claims":[],"sendRoleClaim":true,"roleClaimName":"role"}}')::text
WHERE CAST(settings AS jsonb) -> 'claims' IS NULL;
