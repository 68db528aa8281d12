-- Who made a backend, a program's token or somebody else's session, so that all of it is found and ended when the account
-- of its maker was taken over. A key is an identifier of a user or a backend, or that of a token: it outlives its owner and is
-- never given again. NULL where nobody in particular made it, as on the command line.

ALTER TABLE backend ADD COLUMN maker TEXT;
ALTER TABLE backend ADD COLUMN maker_name TEXT;
ALTER TABLE token ADD COLUMN maker TEXT;
ALTER TABLE token ADD COLUMN maker_name TEXT;
ALTER TABLE session ADD COLUMN maker TEXT;
ALTER TABLE session ADD COLUMN maker_name TEXT;
CREATE INDEX session_maker ON session (maker) WHERE maker IS NOT NULL;
