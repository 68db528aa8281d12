-- The text index finds telephone numbers, too. An index without content cannot get a column, so that the program fills a new one.
DROP TABLE text_index;
CREATE VIRTUAL TABLE text_index USING fts5 (
    name, given_name, family_name, common_name, display_name, mail, phone,
    content = '', columnsize = 0, detail = column, tokenize = 'trigram case_sensitive 1'
);
