-- The last use of each token of a program, so that administrators find the tokens that no program uses any more.
ALTER TABLE token ADD COLUMN used BIGINT;       -- milliseconds since 1970, exact to an hour
