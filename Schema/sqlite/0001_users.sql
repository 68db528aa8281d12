-- Users, the attributes that an app declares itself, and what search needs to find them.
--
-- A user's attributes stand in one JSON object, so that one row is the whole user. What search and sorting need of
-- them stands beside it as folded keys (see FoldedText): in a column where nearly everyone has exactly one value,
-- in attribute_value where there may be several or where the app declared the attribute, and in text_index where
-- people search for a part of it.

CREATE TABLE directory (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    last_id INTEGER NOT NULL                    -- the highest identifier ever given: none is given twice
) STRICT;
INSERT INTO directory VALUES (1, 0);

CREATE TABLE attribute (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    definition TEXT NOT NULL                    -- AttributeDefinition as JSON
) STRICT;

CREATE TABLE user (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    manager INTEGER REFERENCES user (id),
    version INTEGER NOT NULL,
    created INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    attributes TEXT NOT NULL,                   -- before the keys: reading it does not have to step over them
    given_name_key TEXT,
    family_name_key TEXT,
    common_name_key TEXT,
    display_name_key TEXT,
    title_key TEXT,
    department_key TEXT,
    employee_number_key TEXT,
    CHECK (manager <> id)
) STRICT;
CREATE UNIQUE INDEX user_name ON user (name_key);
CREATE INDEX user_manager ON user (manager, id) WHERE manager IS NOT NULL;
CREATE INDEX user_given_name ON user (given_name_key, id) WHERE given_name_key IS NOT NULL;
CREATE INDEX user_family_name ON user (family_name_key, id) WHERE family_name_key IS NOT NULL;
CREATE INDEX user_common_name ON user (common_name_key, id) WHERE common_name_key IS NOT NULL;
CREATE INDEX user_display_name ON user (display_name_key, id) WHERE display_name_key IS NOT NULL;
CREATE INDEX user_title ON user (title_key, id) WHERE title_key IS NOT NULL;
CREATE INDEX user_department ON user (department_key, id) WHERE department_key IS NOT NULL;
CREATE INDEX user_employee_number ON user (employee_number_key, id) WHERE employee_number_key IS NOT NULL;

CREATE TABLE attribute_value (
    attribute TEXT NOT NULL,                    -- the attribute's name, or name.sub for a part of a complex one
    key ANY NOT NULL,                           -- folded text, or a number
    user INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    PRIMARY KEY (attribute, key, user)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE text_index USING fts5 (
    name, given_name, family_name, common_name, display_name, mail,
    content = '', columnsize = 0, tokenize = 'trigram case_sensitive 1'
);
