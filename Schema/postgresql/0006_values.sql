-- The table of values without its reference to users: at the end of a user, the reference made PostgreSQL read everybody's values, and an
-- index for it would be as large as the table. The statements that delete a user delete the user's values themselves.
ALTER TABLE attribute_value DROP CONSTRAINT attribute_value_user_id_fkey;
