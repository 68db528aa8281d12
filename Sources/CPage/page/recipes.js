// What an app needs: for apps that are known by name, the address of their sign-in and the lines to paste; for all others, their kind.

import { say } from "./texts.js";

/**
 * What the lines are made of: the address of this server, the app's client and secret, where the app is, and its redirect address.
 * @typedef {{issuer: string, id: string, secret: string, backend: string, key: string, origin: string, redirect: string, name: string}} Facts
 */
/**
 * `callback` is where browsers come back to, below the app's address. `redirects` says that the addresses are asked for. `guards` says that
 * nginx asks this server about each request to the app.
 * @typedef {{key: string, label: string, about: string, callback?: string, others?: string[], start?: string, settings?: any, redirects?: string,
 *   role?: boolean, isDialect?: boolean, guards?: boolean, place?: string, note?: string, lines?: (facts: Facts) => string}} Recipe
 */

const roles = "openid profile email groups";
const plain = "openid profile email";
const host = (/** @type {string} */ origin) => (origin ? new URL(origin).host : "");
const discovery = ".well-known/openid-configuration";

/** @type {Recipe[]} */
export const known = [
  {
    key: "grafana", label: "Grafana", about: say("Dashboards"), callback: "/login/generic_oauth", start: "/login", settings: { scope: `${roles} offline_access`, pkce: "required" },
    place: "grafana.ini", note: say("Members of administrators become administrators of Grafana; change the role's name where yours is another one."),
    lines: ({ issuer, id, secret, origin }) => `[server]
root_url = ${origin}/

[auth.generic_oauth]
enabled = true
name = Roster
client_id = ${id}
client_secret = ${secret}
scopes = ${roles} offline_access
auth_url = ${issuer}/oauth2/authorize
token_url = ${issuer}/oauth2/token
api_url = ${issuer}/oauth2/userinfo
use_pkce = true
use_refresh_token = true
login_attribute_path = preferred_username
role_attribute_path = contains(groups[*], 'administrators') && 'Admin' || 'Viewer'`,
  },
  {
    key: "nextcloud", label: "Nextcloud", about: say("Files; with its app user_oidc"), callback: "/apps/user_oidc/code", others: ["/index.php/apps/user_oidc/code"], start: "/",
    settings: { scope: roles }, place: say("the shell of {app}'s server", { app: "Nextcloud" }),
    lines: ({ issuer, id, secret }) => `occ app:install user_oidc
occ user_oidc:provider Roster --clientid='${id}' --clientsecret='${secret}' \\
  --discoveryuri='${issuer}/${discovery}' --scope='${roles}' \\
  --unique-uid=0 --mapping-uid=preferred_username --mapping-groups=groups --group-provisioning=1`,
  },
  {
    key: "gitea", label: "Gitea", about: say("Git; signs in over LDAP"), settings: null, place: say("the shell of {app}'s server", { app: "Gitea" }),
    note: say("Gitea sends neither PKCE nor a nonce, so that this server refuses it over OpenID Connect. It signs in over LDAP: start this server with --ldap, and make an app password for LDAP of an account that reads, in its 'My account'."),
    lines: ({ issuer }) => `gitea admin auth add-ldap --name Roster --security-protocol LDAPS \\
  --host ${new URL(issuer).hostname} --port 636 \\
  --bind-dn 'uid=READER,ou=people,dc=example,dc=com' --bind-password 'APP_PASSWORD' \\
  --user-search-base 'ou=people,dc=example,dc=com' \\
  --user-filter '(&(objectClass=inetOrgPerson)(|(uid=%[1]s)(mail=%[1]s)))' \\
  --username-attribute uid --firstname-attribute givenName --surname-attribute sn --email-attribute mail`,
  },
  {
    key: "pgadmin", label: "pgAdmin 4", about: "PostgreSQL", callback: "/oauth2/authorize", start: "/", settings: { scope: roles }, place: "config_local.py",
    lines: ({ issuer, id, secret }) => `AUTHENTICATION_SOURCES = ["oauth2", "internal"]
OAUTH2_CONFIG = [{
    "OAUTH2_NAME": "roster",
    "OAUTH2_DISPLAY_NAME": "Roster",
    "OAUTH2_CLIENT_ID": "${id}",
    "OAUTH2_CLIENT_SECRET": "${secret}",
    "OAUTH2_SERVER_METADATA_URL": "${issuer}/${discovery}",
    "OAUTH2_AUTHORIZATION_URL": "${issuer}/oauth2/authorize",
    "OAUTH2_TOKEN_URL": "${issuer}/oauth2/token",
    "OAUTH2_API_BASE_URL": "${issuer}/oauth2/",
    "OAUTH2_USERINFO_ENDPOINT": "userinfo",
    "OAUTH2_SCOPE": "openid email profile",
    "OAUTH2_USERNAME_CLAIM": "preferred_username",
}]`,
  },
  {
    key: "jupyterhub", label: "JupyterHub", about: say("Notebooks; with oauthenticator"), callback: "/hub/oauth_callback", start: "/hub/login", settings: { scope: roles, pkce: "required" }, place: "jupyterhub_config.py",
    lines: ({ issuer, id, secret, redirect }) => `c.JupyterHub.authenticator_class = "generic-oauth"
c.GenericOAuthenticator.client_id = "${id}"
c.GenericOAuthenticator.client_secret = "${secret}"
c.GenericOAuthenticator.login_service = "Roster"
c.GenericOAuthenticator.oauth_callback_url = "${redirect}"
c.GenericOAuthenticator.authorize_url = "${issuer}/oauth2/authorize"
c.GenericOAuthenticator.token_url = "${issuer}/oauth2/token"
c.GenericOAuthenticator.userdata_url = "${issuer}/oauth2/userinfo"
c.GenericOAuthenticator.scope = ["openid", "profile", "groups"]
c.GenericOAuthenticator.username_claim = "preferred_username"
c.GenericOAuthenticator.allow_all = True`,
  },
  {
    key: "synapse", label: "Synapse", about: say("Matrix homeserver"), callback: "/_synapse/client/oidc/callback", settings: { scope: plain }, place: "homeserver.yaml",
    lines: ({ issuer, id, secret, origin }) => `public_baseurl: ${origin}/
oidc_providers:
  - idp_id: roster
    idp_name: Roster
    issuer: ${issuer}
    client_id: ${id}
    client_secret: ${secret}
    scopes: [openid, profile, email]
    user_mapping_provider:
      config:
        localpart_template: "{{ user.preferred_username }}"
        display_name_template: "{{ user.name }}"
        email_template: "{{ user.email }}"`,
  },
  {
    key: "apache", label: "Apache", about: say("Any app behind mod_auth_openidc"), callback: "/redirect_uri", start: "/", settings: { scope: roles }, place: say("the site's configuration"),
    lines: ({ issuer, id, secret, redirect }) => `OIDCProviderMetadataURL ${issuer}/${discovery}
OIDCClientID ${id}
OIDCClientSecret ${secret}
OIDCRedirectURI ${redirect}
OIDCCryptoPassphrase A_LONG_RANDOM_TEXT
OIDCScope "${roles}"

<Location "/">
    AuthType openid-connect
    Require valid-user
</Location>`,
  },
  {
    key: "django", label: "Django", about: "mozilla-django-oidc", callback: "/oidc/callback/", start: "/oidc/authenticate/", settings: { scope: plain, id_token_signed_response_alg: "HS256" }, place: "settings.py",
    lines: ({ issuer, id, secret }) => `OIDC_RP_CLIENT_ID = "${id}"
OIDC_RP_CLIENT_SECRET = "${secret}"
OIDC_OP_AUTHORIZATION_ENDPOINT = "${issuer}/oauth2/authorize"
OIDC_OP_TOKEN_ENDPOINT = "${issuer}/oauth2/token"
OIDC_OP_USER_ENDPOINT = "${issuer}/oauth2/userinfo"`,
  },
  {
    key: "nginx", label: "nginx", about: say("Any app behind auth_request"), guards: true, settings: { scope: roles }, place: say("the site's configuration"),
    note: say("The app gets the fields X-Roster-User and X-Roster-Groups. It must be reachable through nginx only."),
    lines({ issuer, origin }) {
      const asked = `proxy_pass ${issuer};
        proxy_set_header Host ${new URL(issuer).host};
        proxy_set_header X-Original-URL $scheme://$http_host$request_uri;`;
      return `server {
    listen 443 ssl;
    server_name ${host(origin)};

    location /oauth2/ {
        ${asked}
        proxy_redirect off;
    }
    location = /oauth2/auth {
        internal;
        ${asked}
        proxy_pass_request_body off;
        proxy_set_header Content-Length "";
    }
    location / {
        auth_request /oauth2/auth;
        error_page 401 = @sign_in;
        auth_request_set $user $upstream_http_x_roster_user;
        auth_request_set $groups $upstream_http_x_roster_groups;
        proxy_set_header X-Roster-User $user;
        proxy_set_header X-Roster-Groups $groups;
        proxy_set_header X-Roster-Subject "";
        proxy_set_header X-Roster-Email "";
        proxy_set_header Host $http_host;
        proxy_pass http://127.0.0.1:3000;
    }
    location @sign_in {
        return 302 $scheme://$http_host/oauth2/start?rd=$scheme://$http_host$request_uri;
    }
}`;
    },
  },
  {
    key: "flask", label: "Flask", about: "flask-oidc", callback: "/authorize", start: "/", settings: { scope: plain }, place: "client_secrets.json",
    lines: ({ issuer, id, secret, redirect }) => JSON.stringify({ web: {
      issuer, client_id: id, client_secret: secret, auth_uri: `${issuer}/oauth2/authorize`, token_uri: `${issuer}/oauth2/token`, userinfo_uri: `${issuer}/oauth2/userinfo`, redirect_uris: [redirect] } }, null, 2),
  },
];

const line = (/** @type {string} */ name, /** @type {string} */ value) => `${name}: ${value}`;
const generic = (/** @type {Facts} */ { issuer, id, secret, redirect }) => [line(say("Discovery"), `${issuer}/${discovery}`), line(say("Issuer"), issuer), line(say("Client ID"), id),
  secret ? line(say("Client secret"), secret) : null, redirect ? line(say("Redirect address"), redirect) : null, line(say("Proof key (PKCE)"), "S256")].filter(Boolean).join("\n");
const dialect = (/** @type {Facts} */ { issuer, id, secret, backend, key }) => [line(say("Base address"), issuer), line(say("Backend ID"), backend), line(say("Anonymous key"), key), line(say("Client ID"), id),
  secret ? line(say("Client secret"), secret) : null].filter(Boolean).join("\n");

/** @type {Recipe[]} */
export const kinds = [
  { key: "web", label: say("Web app"), about: say("On a server, which keeps a secret"), redirects: "https://app.example.com/callback", settings: { scope: roles }, lines: generic },
  { key: "spa", label: say("Single-page app"), about: say("JavaScript in the browser, without a secret"), redirects: "https://app.example.com/callback",
    settings: { public: true, scope: `${plain} offline_access` }, lines: generic, note: say("Add the app's address to 'Web pages that may call the server' in Sign-in, Policies, so that its pages may ask for tokens.") },
  { key: "mobile", label: say("Mobile or desktop app"), about: say("Installed by people, without a secret"), redirects: "com.example.app:/callback",
    settings: { for: "app", grant_types: ["authorization_code", "refresh_token"] }, lines: generic },
  { key: "service", label: say("Service"), about: say("A program without people"), role: true, settings: { for: "service" },
    lines: ({ issuer, id, secret }) => `curl -u '${id}:${secret}' ${issuer}/oauth2/token -d grant_type=client_credentials -d scope=directory` },
  { key: "device", label: say("Device without a keyboard"), about: say("Television, terminal: approved on a telephone"), settings: { for: "device" },
    lines: ({ issuer, id }) => `curl ${issuer}/oauth2/device_authorization -d client_id=${id} -d scope=openid` },
  { key: "saml", label: say("SAML or tokens of another issuer"), about: say("Brings assertions or JWTs, and gets tokens"), settings: { sso: true },
    isDialect: true, lines: dialect, note: say("Trust the issuer first, in Sign-in, Issuers.") },
  { key: "mobile-social", label: "Oracle Mobile and Social SDK", about: say("Signs in with name and password or browser"), settings: { for: "app" }, isDialect: true, lines: dialect },
  { key: "mobile-hub", label: "Oracle Mobile Hub or Mobile Cloud", about: say("Backend ID, anonymous key, token exchange"), settings: { sso: true, http_basic: true }, isDialect: true, lines: dialect },
  { key: "cloud-access", label: "Cloud Access Manager", about: say("Tells all roles as the claim role"), redirects: "https://app.example.com/callback",
    settings: { scope: "openid profile email offline_access", claims: { claims: [], sendRoleClaim: true } }, lines: generic },
];

/** The recipe that an app was made by, by its redirect addresses. @param {any} app */
export const recipeOf = (app) => (app.auth_request_origins?.length ? known.find(({ guards }) => guards) : null) ?? known.find(({ callback }) => callback && app.redirect_uris.some((/** @type {string} */ uri) => uri.endsWith(callback)))
  ?? kinds.find(({ key }) => key === (app.grant_types.join() === "client_credentials" ? "service" : app.grant_types.some((/** @type {string} */ one) => one.includes("device")) ? "device"
    : app.redirect_uris.length ? (app.public ? "mobile" : "web") : "saml"));
