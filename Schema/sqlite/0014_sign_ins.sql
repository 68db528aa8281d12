-- An index of the sign-ins in the change feed, by which users see their last ones. Changes of the directory are not in the index, so
-- that they do not write more pages.
CREATE INDEX change_sign_in ON change (id, sequence) WHERE kind BETWEEN 4 AND 8;
