-- Attributes are stored as records, which take half the bytes of JSON. SQL cannot write a record, so the program rewrites the
-- attributes of users and roles and the values of changes in the transaction of this step.
-- The text index keeps which columns of a user contain three characters, and no longer where in the column. It takes two
-- thirds of the space; a search looks for longer text in the rows that the index finds. The program fills the index.
DROP TABLE text_index;
CREATE VIRTUAL TABLE text_index USING fts5 (
    name, given_name, family_name, common_name, display_name, mail,
    content = '', columnsize = 0, detail = column, tokenize = 'trigram case_sensitive 1'
);
