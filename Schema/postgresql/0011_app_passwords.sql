-- App passwords: random passwords of a user for one program each, which reads over LDAP or SCIM. A stolen file does not reveal them:
-- they are stored by a hash whose key is in the key file. An app password ends with the user's other sign-ins, by its epoch.
CREATE TABLE app_password (
    digest TEXT COLLATE "C" PRIMARY KEY,        -- HMAC-SHA256 of the app password
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    name_key TEXT COLLATE "C" NOT NULL,
    purpose TEXT COLLATE "C" NOT NULL,          -- 'ldap' or 'scim'
    networks TEXT COLLATE "C" NOT NULL,         -- those from which it is taken, with spaces between; empty for all
    created BIGINT NOT NULL,                    -- milliseconds since 1970
    expires BIGINT,                             -- NULL for never
    used BIGINT,                                -- the last use, exact to an hour; NULL for never
    epoch BIGINT NOT NULL,
    UNIQUE (user_id, name_key)
);
