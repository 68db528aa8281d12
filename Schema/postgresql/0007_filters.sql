-- Indexes for filters and orders that read every user: of who has no value, and of the time of the last change.
CREATE INDEX user_without_common_name ON users (id) WHERE common_name_key IS NULL;
CREATE INDEX user_without_department ON users (id) WHERE department_key IS NULL;
CREATE INDEX user_without_display_name ON users (id) WHERE display_name_key IS NULL;
CREATE INDEX user_without_employee_number ON users (id) WHERE employee_number_key IS NULL;
CREATE INDEX user_without_family_name ON users (id) WHERE family_name_key IS NULL;
CREATE INDEX user_without_given_name ON users (id) WHERE given_name_key IS NULL;
CREATE INDEX user_without_title ON users (id) WHERE title_key IS NULL;
CREATE INDEX user_without_manager ON users (id) WHERE manager IS NULL;
CREATE INDEX user_modified ON users (modified, id);

-- An entry 'no emails' marks a user without a mail address. No attribute can have that name.
INSERT INTO attribute_value (attribute, key, user_id)
    SELECT 'no emails', '', id FROM users
    WHERE NOT EXISTS (SELECT 1 FROM attribute_value v WHERE v.attribute = 'emails' AND v.user_id = users.id);
