-- Batches of changes: changes of one caller, by several requests, under one number, so that they are shown and undone together. Changes
-- without a batch have no row here and cost nothing.
CREATE TABLE change_batch (
    number BIGINT PRIMARY KEY,
    actor TEXT COLLATE "C" NOT NULL,            -- as the change feed shows it; empty after an erasure
    time BIGINT NOT NULL,                       -- milliseconds since 1970
    lost BIGINT NOT NULL DEFAULT 0              -- how many of its changes are no longer in the change feed
);
CREATE TABLE batched_change (
    sequence BIGINT PRIMARY KEY,                -- the entry in the change feed
    batch BIGINT NOT NULL
);
CREATE INDEX batched_change_batch ON batched_change (batch, sequence);

-- The users with a disabled account by their last change, so that disabled managers are found without reading everybody.
CREATE INDEX user_disabled ON users (modified) WHERE active = 0;
