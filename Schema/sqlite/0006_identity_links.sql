-- Users who sign in with a provider of identities: the provider knows them under issuer and subject, whatever they are called.

CREATE TABLE identity_link (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    user INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identity_link_user ON identity_link (user);
