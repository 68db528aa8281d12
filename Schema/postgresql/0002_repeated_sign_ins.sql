-- How often a sign-in was repeated. The change feed has the first of the sign-ins that are alike within an hour, and is not altered;
-- this table counts all of them, so that repeated sign-ins do not fill the disk.
CREATE TABLE repeated_sign_in (
    sequence BIGINT PRIMARY KEY,                -- the entry in the change feed
    number BIGINT NOT NULL CHECK (number > 1),  -- the sign-ins, with the first
    last BIGINT NOT NULL                        -- the time of the last one, in milliseconds since 1970
);

-- Each person and each address has a share of the codes, so that nobody takes the codes of others.
ALTER TABLE pending_code ADD COLUMN address TEXT COLLATE "C";
CREATE INDEX pending_code_address ON pending_code (kind, address) WHERE address IS NOT NULL;
