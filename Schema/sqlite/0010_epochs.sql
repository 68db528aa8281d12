-- A user's sign-ins end by a number: sessions and grants carry the epoch in which they began, and are good only while it is
-- the sum of the user's and the directory's. So whatever ends sign-ins raises a number in its own transaction, and no
-- sign-in that began before can slip through. Virtual users have the directory's epoch alone.
--
-- The table of users and the columns that refer to it get names that are no reserved word in any engine.

ALTER TABLE user RENAME TO users;
ALTER TABLE attribute_value RENAME COLUMN user TO user_id;
ALTER TABLE password RENAME COLUMN user TO user_id;
ALTER TABLE token_role RENAME COLUMN user TO user_id;
ALTER TABLE token_grant RENAME COLUMN user TO user_id;
ALTER TABLE session RENAME COLUMN user TO user_id;
ALTER TABLE second_factor RENAME COLUMN user TO user_id;
ALTER TABLE consent RENAME COLUMN user TO user_id;
ALTER TABLE identity_link RENAME COLUMN user TO user_id;

ALTER TABLE directory ADD COLUMN sign_in_epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN sign_in_epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE token_grant ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;

-- Whether a session that ends with its first use has been used.
ALTER TABLE session ADD COLUMN is_spent INTEGER NOT NULL DEFAULT 0;
UPDATE session SET is_spent = 1 WHERE json_extract(detail, '$.spent');
