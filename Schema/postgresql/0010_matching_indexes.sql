-- The indexes of both tables, after the program has filled them.
CREATE INDEX text_index_trigrams ON text_index USING gin (
    name gin_trgm_ops, given_name gin_trgm_ops, family_name gin_trgm_ops, common_name gin_trgm_ops, display_name gin_trgm_ops,
    mail gin_trgm_ops, phone gin_trgm_ops
);
CREATE INDEX word_index_words ON word_index USING gin (words);
