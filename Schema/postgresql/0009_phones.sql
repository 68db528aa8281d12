-- The text index finds telephone numbers, too. The program fills the table, whose rows have text that SQL cannot fold.
DROP INDEX text_index_trigrams;
TRUNCATE text_index;
ALTER TABLE text_index ADD COLUMN phone TEXT;
