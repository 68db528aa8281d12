-- Links with which a user sets a password once, for invitations and forgotten passwords. A user has one link at most: a newer link
-- replaces the older one. Only a digest of the link's token is stored. A link carries the sign-in epoch in which it was made, so that
-- whatever ends the user's sign-ins, such as a changed password, ends the link too.
CREATE TABLE password_link (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    digest TEXT NOT NULL UNIQUE,                -- SHA-256 of the token
    epoch INTEGER NOT NULL,                     -- the sum of the user's and the directory's sign-in epochs
    expires INTEGER NOT NULL                    -- milliseconds since 1970
) STRICT;
