-- The source that a token names, such as 'entra': external identifiers belong to it, so that all its tokens share them. A token
-- without one has those of its own name, as before, and a source of that name has the same.
CREATE TABLE source (
    name_key TEXT COLLATE "C" PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    creates_on_replace BIGINT NOT NULL CHECK (creates_on_replace IN (0, 1))
);

ALTER TABLE token ADD COLUMN source TEXT COLLATE "C";      -- the key of its name
