"""What schemathesis is told beyond /openapi.json.

The description names formats that JSON Schema does not know (names after RFC 8265, SCIM's filters and paths): here is how
values of them are made. And some refusals depend on what is in the directory, or on two parameters together, which OpenAPI
has no words for: those alone are passed over.
"""

import base64
import collections
import itertools
import json
import os
import unicodedata
import urllib.error
import urllib.parse
import urllib.request

import schemathesis
from hypothesis import strategies as st
from schemathesis.specs.openapi import _auth_retry

ADMIN_ID = os.environ["ROSTER_ADMIN_ID"]
ROLE = os.environ["ROSTER_ROLE"]


def _may_name(character):
    """Letters, marks, digits, punctuation and symbols that every version of Unicode in use knows and shows."""
    invisible = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
    return unicodedata.category(character)[0] in "LNPS" and character not in invisible and ord(character) < 0x3000


names = st.text(st.characters(max_codepoint=0x2FFF, codec="utf-8").filter(_may_name), min_size=1, max_size=40)
# Letters that no list of common passwords has in a row.
passwords = st.text("qzxjkvw0795", min_size=12, max_size=40).map(lambda text: text + "§")
words = st.text("abcßÄ _%*\\'", max_size=8).map(json.dumps)
comparisons = st.one_of(
    st.builds("{} {} {}".format, st.sampled_from(["displayName", "externalId", "DISPLAYNAME"]),
              st.sampled_from(["eq", "ne", "co", "sw", "ew", "gt", "le", "EQ"]), words),
    st.builds("meta.{} {} \"{}\"".format, st.sampled_from(["created", "lastModified"]),
              st.sampled_from(["gt", "lt", "ge", "le"]), st.datetimes().map(lambda time: time.strftime("20%y-%m-%dT%H:%M:%SZ"))),
    st.builds("{} pr".format, st.sampled_from(["displayName", "id", "meta.created"])),
)
filters = st.recursive(
    comparisons,
    lambda inner: st.builds("{} and {}".format, inner, inner) | st.builds("not ({})".format, inner)
    | st.builds("({} or {})".format, inner, inner), max_leaves=6)
numbers = itertools.count()

FORMATS = {
    "roster-name": names,
    "password": passwords,
    # The others are answered with 412 where they are not the resource's, which the tests of the handlers see to.
    "entity-tag": st.just("*"),
    "roster-own": st.just("unknown"),
    # The administrator is there as long as the directory, since the last one cannot be deleted.
    "roster-id": st.just(ADMIN_ID),
    # Others than the empty one are signed by the server.
    "roster-cursor": st.just(""),
    "roster-bulk-id": st.builds(lambda: f"b{next(numbers)}"),
    "scim-filter": filters,
    "scim-sort": st.sampled_from(["displayName", "id", "meta.created", "meta.lastModified"]),
    "scim-path": st.sampled_from(
        ["name.givenName", "name.formatted", 'emails[type eq "work"].value', 'phoneNumbers[type eq "fax"].value',
         'addresses[type eq "home" and country eq "DE"].locality', "NAME.familyname"]),
}
for name, strategy in FORMATS.items():
    schemathesis.openapi.format(name, strategy)


def _in_any_case(schema):
    """JSON Schema cannot say that a word may have any case: the description marks such words, and tries some spellings."""
    if isinstance(schema, list):
        for element in schema:
            _in_any_case(element)
    elif isinstance(schema, dict):
        if schema.pop("x-any-case", False):
            words = schema["enum"]
            schema["enum"] = sorted({spelling for word in words for spelling in
                                     (word, word.upper(), word.lower(), word.capitalize(), word.swapcase())})
        if "^urn:" in schema.get("patternProperties", {}):
            schema["patternProperties"]["^[Uu][Rr][Nn]:"] = schema["patternProperties"].pop("^urn:")
        for value in schema.values():
            _in_any_case(value)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """A new password's hash takes a fifth of a second on purpose: only patches try some, or nothing else would be tried."""
    _in_any_case(raw_schema)
    # sign_in_fuzz.py knows the codes, tokens and cookies that these need, and tries them.
    for path in [path for path in raw_schema["paths"] if path.startswith(SIGN_IN)]:
        del raw_schema["paths"][path]
    schemas = raw_schema["components"]["schemas"]
    for name in ("Person", "NewPerson", "User"):
        del schemas[name]["properties"]["password"]
    for operation in schemas["UserPatch"]["properties"]["Operations"]["items"]["anyOf"]:
        value = operation["properties"]["value"]
        if "properties" in value:
            # All attributes are tried with whole resources.
            value["properties"] = {
                name: schema for name, schema in value["properties"].items()
                if name in ("schemas", "userName", "name", "active", "emails", "addresses", "externalId")}
    # One media type of two is enough for the large bodies: what is read does not depend on it.
    for path in ("/scim/v2/Users", "/scim/v2/Users/{id}", "/scim/v2/Me"):
        for operation in raw_schema["paths"][path].values():
            operation.get("requestBody", {"content": {}})["content"].pop("application/json", None)


# With a name and a wrong password its probes would soon be answered with 429, "wait", which it does not take for a refusal.
_auth_retry.INVALID_AUTH_HEADERS["_basic_auth"] = "Basic " + base64.b64encode(b"no colon").decode()

# The endpoints by which people and programs sign in. They guess passwords, which slows down the other calls.
SIGN_IN = ("/oauth2/", "/.well-known/", "/oic_rest/rest/{service}/", "/{db}/", "/db/", "/mobile/platform/sso/",
           "/mobile/platform/auth/", "/mobile/platform/users/~/", "/account/")
# What administrators change, and what forms take. Whether a call succeeds depends on what there is and on rules of the settings, and
# the names in a form on the attributes that there are.
ADMINISTRATION = ("/admin/", "/forms")

# What the state of the directory decides, or two parameters together.
STATEFUL = (
    "no user or group with the id", "chooses nothing", "chooses no member", "not a cursor of this server",
    "has the form of an identifier", "exclude each other", "more than one primary", "names another entity than the path", "have the same 'bulkId'", "is there twice",
    # What a resource always has cannot be replaced by nothing; add takes nothing as no change.
    "Remove the other attributes by name",
    # Only the path of a change, such as emails[type eq "work"].value, says that the text must be an address.
    "'emails' needs an e-mail address",
)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    kind = type(failure).__name__
    dropped = not _is_failure(kind, failure, case, response)
    if dropped:
        counts[f"passed over: {kind} {next((text for text in STATEFUL if text in response.text), response.status_code)}"] += 1
    return not dropped


def _is_failure(kind, failure, case, response):
    if kind in ("RejectedPositiveData", "AcceptedNegativeData") and case.operation.path.startswith(ADMINISTRATION):
        return False
    if kind == "RejectedPositiveData":
        # Somebody else's version, and changes that are not there, or are yet to come.
        return response.status_code not in (410, 412) and not any(text in response.text for text in STATEFUL)
    if kind == "EnsureResourceAvailability":
        # Not the one that was created is missing, but the one that the body would link with it.
        created = [urllib.parse.unquote(str(value)) for value in (case.path_parameters or {}).values()]
        answer = json.loads(response.text)
        message = answer.get("message") or answer.get("detail", "")
        return not message.startswith("There is no ") or any(f"'{name}'" in message for name in created)
    # Both are refusals that schemathesis does not count as ones; so is to wait after guessing too often.
    if kind == "AcceptedNegativeData":
        # Fields that a server does not know are no mistake (RFC 9110, section 5.1).
        unknown = any("unknown-property" in name.lower() for name in case.headers or {})
        return response.status_code not in (412, 413) and not unknown
    return not (kind == "IgnoredAuth" and "429 Too Many Requests" in failure.message)


# A fuzzer changes the password and the name that it signs in with. They are put back, or nothing more would be tested.
counts = collections.Counter()
if os.path.exists(os.environ["ROSTER_COUNTS"]):
    with open(os.environ["ROSTER_COUNTS"]) as file:
        counts.update(json.load(file))


def _ask(method, path, authorization, body=None):
    request = urllib.request.Request(
        os.environ["ROSTER_URL"] + path, body and json.dumps(body).encode(), method=method,
        headers={"Authorization": authorization, "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def _restore(own):
    # The password only where it is not the right one: its hash takes long.
    for lost in ({"userName": "admin", "active": True}, {"password": os.environ["ROSTER_PASSWORD"]}):
        _ask("PATCH", f"/scim/v2/Users/{ADMIN_ID}", "Bearer " + os.environ["ROSTER_KEEPER"], {
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
            "Operations": [{"op": "replace", "value": lost}]})
        if _ask("GET", "/scim/v2/Me", own) == 200:
            break
    counts["restored"] += 1


@schemathesis.hook
def after_call(context, case, response):
    counts[f"{response.status_code // 100}xx"] += 1
    sent = response.request.headers.get("Authorization", "")
    own = "Basic " + base64.b64encode(f"admin:{os.environ['ROSTER_PASSWORD']}".encode()).decode()
    if ROLE == "administrator" and response.status_code in (401, 429) and sent == own:
        _restore(own)
    with open(os.environ["ROSTER_COUNTS"], "w") as file:
        json.dump(counts, file)
