-- Who uses an app: of each app and user the last time at which the app got a token, so that a page of an app's users does not read the
-- app's grants. A row stays until everything has ended by itself that the app got; what was ended before is seen at the grants.
CREATE TABLE app_use (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    backend BIGINT NOT NULL REFERENCES backend (number) ON DELETE CASCADE,
    used BIGINT NOT NULL,                      -- milliseconds since 1970, exact to a minute
    ends BIGINT NOT NULL,                      -- the latest end of the grants and of the session
    session TEXT COLLATE "C",                               -- the digest of the last session of which the app wants to know the end
    PRIMARY KEY (user_id, backend)
);
CREATE INDEX app_use_latest ON app_use (backend, used, user_id);
CREATE INDEX app_use_ends ON app_use (ends);

INSERT INTO app_use (user_id, backend, used, ends)
SELECT user_id, backend, max(rotated), max(expires) FROM token_grant WHERE user_id IS NOT NULL GROUP BY user_id, backend;
INSERT INTO app_use (user_id, backend, used, ends, session)
SELECT s.user_id, a.backend, max(s.used), max(s.ends), max(s.digest)
FROM session_app a JOIN session s ON s.digest = a.session
WHERE s.user_id IS NOT NULL AND a.ended IS NULL GROUP BY s.user_id, a.backend
ON CONFLICT (user_id, backend) DO UPDATE SET session = excluded.session, ends = greatest(app_use.ends, excluded.ends);

-- Finds whether a user has a living grant for an app among any number of grants.
DROP INDEX token_grant_user;
CREATE INDEX token_grant_user ON token_grant (user_id, backend, epoch, expires) WHERE user_id IS NOT NULL;

-- The entries of the change feed about roles by the users who came or left, so that a page of a user's history does not read the feed.
CREATE TABLE membership_change (
    member BIGINT NOT NULL,                    -- a user, who may have been deleted
    sequence BIGINT NOT NULL,                  -- the entry in the change feed
    kind BIGINT NOT NULL,                      -- 1 became a member, 2 is none any more, 3 became an owner, 4 is none any more
    PRIMARY KEY (member, sequence, kind)
);
CREATE INDEX membership_change_sequence ON membership_change (sequence);
