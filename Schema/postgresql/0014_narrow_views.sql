-- A token can be that of a reading program, which reads some attributes of users, such as those of the members of one role. A token can
-- also be limited to networks, as app passwords can.
ALTER TABLE token ADD COLUMN attributes TEXT COLLATE "C";  -- their names, with spaces between them
ALTER TABLE token ADD COLUMN members_of BIGINT;            -- the role whose members a reading program reads; the role can have been deleted
ALTER TABLE token ADD COLUMN networks TEXT COLLATE "C" NOT NULL DEFAULT ''; -- with spaces between them; empty for all
ALTER TABLE token DROP CONSTRAINT token_role_check;
ALTER TABLE token ADD CONSTRAINT token_role_check CHECK (role IN ('administrator', 'provisioning', 'monitoring', 'reading'));
ALTER TABLE token ADD CONSTRAINT token_attributes_check CHECK ((attributes IS NULL) = (role <> 'reading'));
