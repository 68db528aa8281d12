-- Whether the maker of a password link may also set the passwords of users who have a power. A user can get a power after the link was
-- made, and a link of the help desk must not open such an account. Links of before are not for such users.
ALTER TABLE password_link ADD COLUMN is_for_powers INTEGER NOT NULL DEFAULT 0;
