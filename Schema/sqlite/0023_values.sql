-- The table of values without its reference to users: at the end of a user, the reference made SQLite read everybody's values, and an
-- index for it would be as large as the table. The statements that delete a user delete the user's values themselves.
CREATE TABLE attribute_value_new (
    attribute TEXT NOT NULL,                    -- the attribute's name, or name.sub for a part of a complex one
    key ANY NOT NULL,                           -- folded text, or a number
    user_id INTEGER NOT NULL,
    PRIMARY KEY (attribute, key, user_id)
) STRICT, WITHOUT ROWID;

INSERT INTO attribute_value_new SELECT attribute, key, user_id FROM attribute_value ORDER BY attribute, key, user_id;

DROP TABLE attribute_value;

ALTER TABLE attribute_value_new RENAME TO attribute_value;
