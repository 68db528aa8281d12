-- How often a sign-in was repeated. The change feed has the first of the sign-ins that are alike within an hour, and is not altered;
-- this table counts all of them, so that repeated sign-ins do not fill the disk.
CREATE TABLE repeated_sign_in (
    sequence INTEGER PRIMARY KEY,               -- the entry in the change feed
    number INTEGER NOT NULL CHECK (number > 1), -- the sign-ins, with the first
    last INTEGER NOT NULL                       -- the time of the last one, in milliseconds since 1970
) STRICT;
