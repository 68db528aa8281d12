-- Changes that the word index does not have yet. The index writes pages of its own at each commit, so that several changes go into the
-- index at once.
CREATE TABLE word_change (
    number INTEGER PRIMARY KEY,
    user_id INTEGER NOT NULL,
    removed TEXT NOT NULL,                      -- words, with spaces between
    added TEXT NOT NULL
) STRICT;
