-- The text index finds the digits of telephone numbers, too. The word index finds people by the beginnings of words. The program fills both tables,
-- whose rows have text that SQL cannot fold.
DROP INDEX text_index_trigrams;
TRUNCATE text_index;
ALTER TABLE text_index ADD COLUMN phone TEXT;
CREATE TABLE word_index (
    user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    words TSVECTOR NOT NULL
);
