-- Sessions get an end that no use puts off. And what is used up stays so when the clock goes forward and back: a revoked
-- access token is kept for as long as its grant, and of what is forgotten the latest times are kept.

ALTER TABLE session ADD COLUMN ends INTEGER NOT NULL DEFAULT 0;
-- When they began is not known: their time begins with their last use.
UPDATE session SET ends = used + max(lifetime, 2592000000);

ALTER TABLE spent ADD COLUMN issued INTEGER;
ALTER TABLE spent ADD COLUMN grant_number INTEGER REFERENCES token_grant (number) ON DELETE CASCADE;
UPDATE spent SET grant_number = (
    SELECT number FROM token_grant WHERE number = CAST(substr(spent.id, 7, instr(substr(spent.id, 7), '.') - 1) AS INTEGER)
) WHERE id GLOB 'jti:[uv].*';
CREATE INDEX spent_grant ON spent (grant_number) WHERE grant_number IS NOT NULL;

-- By what stands before the colon in spent.id.
CREATE TABLE forgotten (
    kind TEXT PRIMARY KEY,
    issued INTEGER NOT NULL,                    -- the latest time at which something forgotten was issued
    expires INTEGER NOT NULL                    -- the latest time at which something forgotten ended
) STRICT, WITHOUT ROWID;
