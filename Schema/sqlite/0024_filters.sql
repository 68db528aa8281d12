-- Indexes for filters and orders that read every user: of who has no value, and of the time of the last change. The indexes of users
-- named the identifier, which SQLite adds to each entry anyway, so that each entry had it twice; without it they pay for the new ones.
DROP INDEX user_common_name;
CREATE INDEX user_common_name ON users (common_name_key) WHERE common_name_key IS NOT NULL;
CREATE INDEX user_without_common_name ON users (common_name_key) WHERE common_name_key IS NULL;
DROP INDEX user_department;
CREATE INDEX user_department ON users (department_key) WHERE department_key IS NOT NULL;
CREATE INDEX user_without_department ON users (department_key) WHERE department_key IS NULL;
DROP INDEX user_display_name;
CREATE INDEX user_display_name ON users (display_name_key) WHERE display_name_key IS NOT NULL;
CREATE INDEX user_without_display_name ON users (display_name_key) WHERE display_name_key IS NULL;
DROP INDEX user_employee_number;
CREATE INDEX user_employee_number ON users (employee_number_key) WHERE employee_number_key IS NOT NULL;
CREATE INDEX user_without_employee_number ON users (employee_number_key) WHERE employee_number_key IS NULL;
DROP INDEX user_family_name;
CREATE INDEX user_family_name ON users (family_name_key) WHERE family_name_key IS NOT NULL;
CREATE INDEX user_without_family_name ON users (family_name_key) WHERE family_name_key IS NULL;
DROP INDEX user_given_name;
CREATE INDEX user_given_name ON users (given_name_key) WHERE given_name_key IS NOT NULL;
CREATE INDEX user_without_given_name ON users (given_name_key) WHERE given_name_key IS NULL;
DROP INDEX user_title;
CREATE INDEX user_title ON users (title_key) WHERE title_key IS NOT NULL;
CREATE INDEX user_without_title ON users (title_key) WHERE title_key IS NULL;
DROP INDEX user_manager;
CREATE INDEX user_manager ON users (manager) WHERE manager IS NOT NULL;
CREATE INDEX user_without_manager ON users (manager) WHERE manager IS NULL;
CREATE INDEX user_modified ON users (modified);

-- An entry 'no emails' marks a user without a mail address. No attribute can have that name.
INSERT INTO attribute_value (attribute, key, user_id)
    SELECT 'no emails', '', id FROM users WHERE id NOT IN (SELECT user_id FROM attribute_value WHERE attribute = 'emails');
