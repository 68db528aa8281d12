-- What follows from a change of a user's mail address. An address that somebody gave who may not set the user's password gets no
-- password link for a day: held_address has the time of that. The former address is told of the change: address_notice has the
-- mails that no server has sent yet.
CREATE TABLE held_address (
    user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    time BIGINT NOT NULL                        -- milliseconds since 1970
);

CREATE TABLE address_notice (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    address TEXT COLLATE "C" NOT NULL,          -- the address before the change
    time BIGINT NOT NULL,                       -- of the change, milliseconds since 1970
    PRIMARY KEY (user_id, address)
);
