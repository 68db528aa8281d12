-- The text index finds the digits of telephone numbers, too. The word index finds people by the beginnings of words. An index without content cannot
-- get a column, so that the program fills both.
DROP TABLE text_index;
CREATE VIRTUAL TABLE text_index USING fts5 (
    name, given_name, family_name, common_name, display_name, mail, phone,
    content = '', columnsize = 0, detail = column, tokenize = 'trigram case_sensitive 1'
);
CREATE VIRTUAL TABLE word_index USING fts5 (
    words, content = '', columnsize = 0, detail = none, prefix = '3', tokenize = 'ascii'
);
