-- App passwords: random passwords of a user for one program each, which reads over LDAP or SCIM. A stolen file does not reveal them:
-- they are stored by a hash whose key is in the key file. An app password ends with the user's other sign-ins, by its epoch.
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
