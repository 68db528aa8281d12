-- Settings of the service that administrators make while it runs: trusted issuers and their certificates, identity providers and
-- policies, each in the form of an entry of the document that the server can be started with. The version tells a running service
-- that a setting was changed.
CREATE TABLE setting (
    kind TEXT NOT NULL CHECK (
        kind IN ('jwt-issuer', 'saml-issuer', 'certificate', 'provider', 'social-provider', 'policy')),
    name TEXT NOT NULL,
    value TEXT NOT NULL,                        -- JSON, without its secret
    sealed_secret TEXT,                         -- encrypted with the key file; empty if that was lost; NULL for none
    changed INTEGER NOT NULL,                   -- milliseconds since 1970
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

ALTER TABLE directory ADD COLUMN settings_version INTEGER NOT NULL DEFAULT 0;
