#!/usr/bin/env python3
"""SCIM's interface as independent clients see it: scim2-tester's whole suite, then a session of an HR system's with
scim2-client.

    python3 -m venv /tmp/scim-venv && /tmp/scim-venv/bin/pip install -r Tests/Conformance/requirements-scim.txt
    BASE_URL=http://127.0.0.1:8080 BASIC=admin:PASSWORD /tmp/scim-venv/bin/python Tests/Conformance/scim_client.py

BASE_URL is the server's root. TOKEN (bearer) or BASIC (name:password) says who asks; it must be an administrator or a
provisioning client. Everything that is created is deleted in the end.
"""

import base64
import os
import re
import sys
import traceback
import uuid

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_models import BulkOperation, BulkRequest, PatchOp, PatchOperation, SearchRequest
from scim2_tester import Status, check_server

ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
DIRECTORY = "urn:roster:params:scim:schemas:extension:directory:2.0:"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"

# Where the tester is wrong: the check, what its reason says, and why the server is right.
TESTER_IS_WRONG = [
    ("check_(add|replace)_attribute", f"Attribute '{DIRECTORY}User' was not",
     "RFC 7643, section 7, 'request': 'photo' among them is returned only when it is named"),
    ("check_(add|replace)_attribute", f"unexpected value for '{DIRECTORY}User:photo'",
     "RFC 7643, section 2.3.6: it holds its base64 text against the bytes that this stands for"),
    ("check_(add|replace)_attribute", f"value for '({DIRECTORY}User|{DIRECTORY}Group|{ENTERPRISE})'",
     "RFC 7643, section 3: 'schemas' is an attribute of resources, not of their extensions"),
    ("check_(add|replace)_attribute", f"'({ENTERPRISE}|{DIRECTORY}Group)' was not",
     "RFC 7643, section 3: 'schemas' is an attribute of resources, not of their extensions"),
    ("check_(add|replace)_attribute", f"'{ENTERPRISE}:manager'",
     "RFC 7643, section 4.3: 'displayName' is read-only, so that the server gives it"),
    ("check_(add|replace)_attribute", "'members'",
     "RFC 7643, section 2.4: 'display' is the server's to give where clients do not"),
    ("check_add_attribute", f"unexpected value for '{DIRECTORY}User:languages'",
     "RFC 7644, section 3.5.2.1: what is added to a multi-valued attribute leaves what it has"),
    ("check_remove_attribute", f"'{DIRECTORY}Group'",
     "RFC 7643, section 7: it keeps the unique name, which /Schemas calls required; its other attributes are removed"),
]

# What the excused comparisons may differ in; everything else must be as it was sent.
GIVEN_BY_SERVER = {"schemas", "display", "displayName", "photo"}

passed = 0
failed = 0


def plain(value):
    """A value as text, lists and dictionaries, without what the server gives or leaves out by itself."""
    value = value.model_dump() if hasattr(value, "model_dump") else value
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if key not in GIVEN_BY_SERVER}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def is_as_sent(result):
    """Whether a comparison that the tester let fail holds apart from that; what was not returned at all is for the
    excuse to say."""
    data = result.data if isinstance(result.data, dict) else {}
    actual = data.get("modify_actual", data.get("actual"))
    if "expected" not in data or actual is None:
        return True
    expected, actual = plain(data["expected"]), plain(actual)
    return expected == actual or (isinstance(actual, list) and all(one in actual for one in expected))


def check(title, holds, detail=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED  {title}  {detail}")


def connect():
    url = os.environ.get("BASE_URL", "").rstrip("/")
    if not url:
        sys.exit("BASE_URL is not set: the server's root, such as http://127.0.0.1:8080")
    headers, auth = {}, None
    if token := os.environ.get("TOKEN"):
        headers["Authorization"] = "Bearer " + token
    elif basic := os.environ.get("BASIC"):
        auth = tuple(basic.split(":", 1))
    else:
        sys.exit("Neither TOKEN nor BASIC (name:password) is set.")
    return Client(base_url=url + "/scim/v2", headers=headers, auth=auth, timeout=120)


def run_tester(http):
    for result in check_server(SyncSCIMClient(http)):
        title = f"scim2-tester {result.resource_type or ''} {result.title}"
        if result.status not in (Status.ERROR, Status.CRITICAL, Status.DEVIATION):
            check(title, True)
            continue
        reason = result.reason or ""
        excuse = next(
            (why for name, text, why in TESTER_IS_WRONG
             if re.fullmatch(name, result.title) and re.search(text, reason) and is_as_sent(result)), None)
        if excuse:
            print(f"excused {title}: {reason.splitlines()[0][:110]}\n        {excuse}")
        check(title, excuse is not None, reason)


class Session:
    """What an HR system does with the directory."""

    def __init__(self, http):
        self.http = http
        self.scim = SyncSCIMClient(http)
        self.mark = uuid.uuid4().hex[:8]
        self.garbage = []

    def name(self, short):
        return f"{short}.{self.mark}"

    def raw(self, method, path, body=None, headers=None, **parameters):
        """A request past the client's own checks; absolute paths are taken as they are."""
        response = self.http.request(
            method, path, json=body, params=parameters or None,
            headers={"Content-Type": "application/scim+json", **(headers or {})})
        data = response.json() if response.content else None
        return response.status_code, data, response.headers

    def refused(self, title, status, kind, method, path, body=None, headers=None, **parameters):
        got, data, _ = self.raw(method, path, body, headers, **parameters)
        data = data or {}
        isForm = data.get("schemas") == ["urn:ietf:params:scim:api:messages:2.0:Error"] and data.get("status") == str(got)
        check(title, got == status and isForm and (kind is None or data.get("scimType") == kind), f"{got} {data}")

    def patch(self, path, *operations, headers=None):
        return self.raw("PATCH", path, {"schemas": [PATCH], "Operations": list(operations)}, headers)

    def run(self):
        steps = [
            self.discover, self.create, self.find, self.page_by_index, self.page_by_cursor, self.replace, self.modify,
            self.group, self.bulk, self.errors,
        ]
        for step in steps:
            try:
                step()
            except Exception as error:
                check(step.__name__, False, "".join(traceback.format_exception_only(error)).strip())
                traceback.print_exc()
        for path in reversed(self.garbage):
            status, _, _ = self.raw("DELETE", path)
            check(f"DELETE {path}", status == 204, status)

    def discover(self):
        self.scim.discover()
        self.User = self.scim.get_resource_model("User")
        self.Group = self.scim.get_resource_model("Group")
        check("discovery finds users and groups", self.User is not None and self.Group is not None)
        config = self.scim.provider.config
        for feature in ("patch", "bulk", "filter", "sort", "etag", "change_password"):
            check(f"{feature} is supported", getattr(config, feature).supported)
        for path in ("ServiceProviderConfig", "ResourceTypes", "Schemas"):
            for method in ("POST", "PUT", "PATCH", "DELETE"):
                self.refused(f"{method} /{path} is not allowed", 405, None, method, path, {})
        self.refused("an unknown schema", 404, None, "GET", "Schemas/urn:nothing")
        self.refused("an unknown type", 404, None, "GET", "ResourceTypes/Nothing")

    def body(self, short, **more):
        return {
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User", ENTERPRISE],
            "externalId": f"hr-{self.mark}-{short}", "userName": self.name(short),
            "name": {"givenName": short.capitalize(), "familyName": "Héloïse-Test", "formatted": f"{short} Test"},
            "displayName": f"{short.capitalize()} Test", "nickName": short, "title": "Tester", "userType": "Employee",
            "preferredLanguage": "de-DE", "locale": "de-DE", "timezone": "Europe/Berlin", "active": True,
            "password": f"a long pass phrase {uuid.uuid4()}", "profileUrl": f"https://example.com/{short}",
            "emails": [
                {"value": f"{short}.{self.mark}@work.example", "type": "work", "primary": True},
                {"value": f"{short}.{self.mark}@home.example", "type": "home"},
            ],
            "phoneNumbers": [{"value": "tel:+49-40-555", "type": "work"}, {"value": "tel:+49-171-5", "type": "mobile"}],
            "ims": [{"value": short, "type": "xmpp"}],
            "photos": [{"value": f"https://example.com/{short}.jpg", "type": "photo"}],
            "addresses": [
                {"type": "work", "streetAddress": "Kai 1", "locality": "Hamburg", "postalCode": "20457", "country": "DE",
                 "formatted": "Kai 1\n20457 Hamburg", "primary": True}],
            "entitlements": [{"value": "parking"}],
            "roles": [{"value": f"Tester of {self.mark}", "primary": True}],
            ENTERPRISE: {
                "employeeNumber": f"{self.mark}-{short}", "costCenter": "4711", "organization": "Nordwind",
                "division": "North", "department": f"Testing {self.mark}", **more},
        }

    def create(self):
        scim, User = self.scim, self.User
        sent = self.body("boss")
        boss = scim.create(User.model_validate(sent))
        self.boss = boss.id
        self.garbage.append(f"Users/{boss.id}")
        status, got, headers = self.raw("GET", f"Users/{boss.id}")
        check("a created user can be read", status == 200 and headers["ETag"] == got["meta"]["version"])
        for key, value in sent.items():
            if key == "password":
                check("a password is never returned", key not in got)
            elif key != "schemas":
                check(f"'{key}' is stored as it was sent", got.get(key) == value, f"{got.get(key)} {value}")
        self.ids = {"boss": boss.id}
        for short in ("ann", "ben", "cem"):
            user = scim.create(User.model_validate(self.body(short, manager={"value": boss.id})))
            self.ids[short] = user.id
            self.garbage.append(f"Users/{user.id}")
            status, got, _ = self.raw("GET", f"Users/{user.id}")
            manager = got[ENTERPRISE]["manager"]
            check("the manager is shown", manager["value"] == boss.id and manager["displayName"] == "Boss Test"
                  and manager["$ref"].endswith(f"/Users/{boss.id}"), manager)
        status, got, _ = self.raw("GET", f"Users/{boss.id}")
        check("a manager's own manager is not touched", "manager" not in got[ENTERPRISE])

    def find(self):
        ann = self.ids["ann"]
        filters = [
            f'userName eq "{self.name("ANN").upper()}"', f'externalId eq "hr-{self.mark}-ann"', f'id eq "{ann}"',
            f'emails[type eq "work" and value eq "ann.{self.mark}@work.example"]',
            f'emails[type eq "work"].value eq "ann.{self.mark}@work.example"',
            f'roles[primary eq "True"].value eq "Tester of {self.mark}" and userName sw "ann"',
            f'emails.value sw "ann.{self.mark}@w"', f'{ENTERPRISE}:employeeNumber eq "{self.mark}-ann"',
            f'userName sw "ann" and {ENTERPRISE}:manager.value eq "{self.boss}"',
            f'userName ew "{self.mark}" and not (userName co "boss" or userName co "ben" or userName co "cem")',
            f'nickName eq "ann" and meta.created gt "2020-01-01T00:00:00Z" and userName co "{self.mark}"',
            f'userName ge "ann.{self.mark}" and userName le "ann.{self.mark}" and title pr and active ne false',
        ]
        for text in filters:
            page = self.scim.query(self.User, query_parameters=SearchRequest(filter=text))
            found = [user.id for user in page.resources or []]
            check(f"found by {text}", found == [ann] and page.total_results == 1, found)
            page = self.scim.search(search_request=SearchRequest(filter=text))
            check(f"searched by {text}", [user.id for user in page.resources or []] == [ann])
        page = self.scim.query(self.User, query_parameters=SearchRequest(filter='userName eq "nobody at all"'))
        check("nobody found is no error", page.total_results == 0)

    def team(self):
        return f'{ENTERPRISE}:manager.value eq "{self.boss}" or id eq "{self.boss}"'

    def page_by_index(self):
        seen, start = [], 1
        while True:
            page = self.scim.query(self.User, query_parameters=SearchRequest(
                filter=self.team(), sort_by="userName", sort_order="descending", start_index=start, count=1))
            check("totalResults stays", page.total_results == 4 and page.start_index == start)
            if not page.resources:
                break
            seen += [user.user_name for user in page.resources]
            start += 1
        check("pages by index", seen == sorted([self.name(short) for short in self.ids], reverse=True), seen)
        status, got, _ = self.raw("GET", "Users", count=0, filter=self.team())
        check("count=0 only counts", got["totalResults"] == 4 and not got.get("Resources"), got)

    def page_by_cursor(self):
        seen, cursor = [], ""
        while cursor is not None:
            status, got, _ = self.raw("GET", "Users", filter=self.team(), cursor=cursor, count=1, sortBy="userName")
            check("a page by cursor", status == 200 and got["totalResults"] == 4, got)
            seen += [user["userName"] for user in got["Resources"]]
            last, cursor = cursor, got.get("nextCursor")
        check("pages by cursor", seen == sorted(self.name(short) for short in self.ids), seen)
        self.refused("a cursor that was altered", 400, "invalidCursor", "GET", "Users", cursor=last[:-3] + "abc",
                     filter=self.team(), count=1, sortBy="userName")

    def replace(self):
        ann = self.scim.query(self.User, self.ids["ann"])
        ann.title = "Lead tester"
        ann.display_name = None
        replaced = self.scim.replace(ann)
        check("PUT writes", replaced.title == "Lead tester" and replaced.display_name is None)
        status, before, _ = self.raw("GET", f"Users/{self.ids['ben']}")
        status, after, _ = self.raw("PUT", f"Users/{self.ids['ben']}", {
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": self.name("ben"), "title": "New"})
        check("PUT keeps 'active' and extensions that are not mentioned, and clears the rest", status == 200
              and after["active"] and after[ENTERPRISE] == before[ENTERPRISE] and "emails" not in after
              and after["title"] == "New", after)

    def modify(self):
        path = f"Users/{self.ids['cem']}"
        status, _, headers = self.raw("GET", path)
        old = headers["ETag"]
        status, got, headers = self.patch(path, {"op": "Replace", "path": "active", "value": "False"})
        check("Entra ID disables", status == 200 and got["active"] is False and headers["ETag"] != old)
        self.refused("a stale write", 412, None, "PATCH", path, {
            "schemas": [PATCH], "Operations": [{"op": "replace", "path": "title", "value": "x"}]}, {"If-Match": old})
        status, _, _ = self.raw("GET", path, headers={"If-None-Match": headers["ETag"]})
        check("what the client has is not sent again", status == 304, status)
        status, got, _ = self.patch(path, {"op": "replace", "value": {
            "active": True, "name.givenName": "Cemil", f"{ENTERPRISE}:department": "Dotted"}})
        check("a replace without a path", status == 200 and got["active"] and got["name"]["givenName"] == "Cemil"
              and got[ENTERPRISE]["department"] == "Dotted" and got[ENTERPRISE]["costCenter"] == "4711", got)
        status, got, _ = self.patch(path, {"op": "Add", "path": 'emails[type eq "other"].value', "value": "o@x.example"})
        check("an element is made", {"value": "o@x.example", "type": "other"} in got["emails"], got)
        status, got, _ = self.patch(path, {"op": "remove", "path": 'emails[type eq "home"]'})
        check("an element is removed", [mail["type"] for mail in got["emails"]] == ["work", "other"], got)
        modified = self.scim.modify(self.User, self.ids["cem"], PatchOp[self.User](operations=[
            PatchOperation(op="replace", path="title", value="Modified")]))
        check("scim2-client modifies", modified.title == "Modified")
        status, got, _ = self.patch(path, {"op": "replace", "path": f"{ENTERPRISE}:manager", "value": self.ids["ann"]})
        check("a manager by the id alone", got[ENTERPRISE]["manager"]["value"] == self.ids["ann"], got)

    def group(self):
        body = {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": f"Team {self.mark}",
                "members": [{"value": self.ids["ann"]}, {"value": self.ids["ben"], "type": "User"}]}
        group = self.scim.create(self.Group.model_validate(body))
        path = f"Groups/{group.id}"
        self.garbage.append(path)
        inner = self.scim.create(self.Group.model_validate(
            {"displayName": f"Inner {self.mark}", "members": [{"value": self.ids["cem"]}]}))
        self.garbage.append(f"Groups/{inner.id}")

        def members():
            return {(one["value"], one["type"]) for one in self.raw("GET", path)[1].get("members", [])}

        ann, ben = (self.ids["ann"], "User"), (self.ids["ben"], "User")
        check("members", members() == {ann, ben}, members())
        status, _, _ = self.patch(path, {"op": "Add", "path": "members", "value": [
            {"value": inner.id, "$ref": None, "type": "Group"}, {"value": self.boss}]})
        check("members are added", status in (200, 204) and len(members()) == 4, members())
        status, _, _ = self.patch(path, {"op": "Remove", "path": "members", "value": [{"value": self.boss}]})
        check("Entra ID removes a member", status in (200, 204) and len(members()) == 3, members())
        status, _, _ = self.patch(path, {"op": "remove", "path": f'members[value eq "{self.ids["ben"]}"]'})
        check("one member is removed", status in (200, 204) and members() == {ann, (inner.id, "Group")}, members())
        status, _, _ = self.patch(path, {"op": "remove", "path": f'members[value eq "{self.ids["ben"]}"]'})
        check("who is not there is removed already", status in (200, 204) and members() == {ann, (inner.id, "Group")}, members())
        status, got, _ = self.raw("GET", f"Users/{self.ids['cem']}")
        check("groups of a user, direct and indirect", {(one["display"], one["type"]) for one in got["groups"]} == {
            (f"Inner {self.mark}", "direct"), (f"Team {self.mark}", "indirect")}, got.get("groups"))
        for text in (f'members.value eq "{self.ids["ann"]}"', f'members[value eq "{self.ids["ann"]}"]',
                     f'displayName eq "team {self.mark}"'):
            status, got, _ = self.raw("GET", "Groups", filter=f'{text} and displayName co "{self.mark}"',
                                      excludedAttributes="members")
            check(f"groups by {text}", [one["id"] for one in got["Resources"]] == [group.id]
                  and "members" not in got["Resources"][0], got)
        status, got, _ = self.raw("GET", "Users", filter=f'groups.value eq "{inner.id}"')
        check("users by group", [one["id"] for one in got["Resources"]] == [self.ids["cem"]], got)
        self.refused("a group in itself", 409, None, "PATCH", f"Groups/{inner.id}", {"schemas": [PATCH], "Operations": [
            {"op": "add", "path": "members", "value": [{"value": group.id}]}]})

    def bulk(self):
        User, Group = self.User, self.Group
        request = BulkRequest[User | Group](operations=[
            BulkOperation[Group](method="POST", path="/Groups", bulk_id="g", data=Group.model_validate(
                {"displayName": f"Bulk {self.mark}", "members": [{"value": "bulkId:u2", "type": "User"}]})),
            BulkOperation[User](method="POST", path="/Users", bulk_id="u2", data=User.model_validate(
                {"userName": self.name("bulk2"), ENTERPRISE: {"manager": {"value": "bulkId:u1"}}})),
            BulkOperation[User](method="POST", path="/Users", bulk_id="u1", data=User.model_validate(
                {"userName": self.name("bulk1")})),
        ])
        response = self.scim.bulk(request)
        check("bulk in any order", [str(one.status) for one in response.operations] == ["201"] * 3, response)
        for operation in response.operations:
            self.garbage.append(operation.location.split("/scim/v2/")[1])
        # The group goes first, then who reports, then the manager.
        status, got, _ = self.raw("GET", self.garbage[-2])
        check("a reference among operations is resolved", self.garbage[-1].endswith(got[ENTERPRISE]["manager"]["value"]))
        circle = {"schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], "Operations": [
            {"method": "POST", "path": "/Groups", "bulkId": one, "data": {
                "displayName": f"{one} {self.mark}", "members": [{"value": f"bulkId:{other}"}]}}
            for one, other in (("x", "y"), ("y", "x"))]}
        status, got, _ = self.raw("POST", "Bulk", circle)
        check("references in a circle", status == 200 and {one["status"] for one in got["Operations"]} == {"409"}, got)

    def errors(self):
        core = ["urn:ietf:params:scim:schemas:core:2.0:User"]
        self.refused("a name twice", 409, "uniqueness", "POST", "Users", {"schemas": core, "userName": self.name("ANN")})
        self.refused("no name", 400, "invalidValue", "POST", "Users", {"schemas": core})
        self.refused("no schema", 400, "invalidSyntax", "POST", "Users", {"schemas": ["urn:x"], "userName": "x"})
        self.refused("a manager who does not exist", 400, "invalidValue", "POST", "Users", {
            "schemas": core, "userName": self.name("x"), ENTERPRISE: {"manager": {"value": "nobody"}}})
        self.refused("a weak password", 400, "invalidValue", "POST", "Users", {
            "schemas": core, "userName": self.name("x"), "password": "x"})
        self.refused("nobody", 404, None, "GET", f"Users/hr-{self.mark}-ann")
        for text in ("userName", 'userName eq', "unknown eq 1", 'password sw "a"', "(" * 5000 + 'title pr' + ")" * 5000):
            self.refused(f"the filter {text[:20]}", 400, "invalidFilter", "POST", "Users/.search", {
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], "filter": text})
        path = f"Users/{self.ids['ann']}"
        for title, kind, operation in (
            ("read-only", "mutability", {"op": "replace", "path": "id", "value": "x"}),
            ("groups", "mutability", {"op": "remove", "path": "groups"}),
            ("no attribute", "invalidPath", {"op": "replace", "path": "nothing", "value": 1}),
            ("no target", "noTarget", {"op": "replace", "path": 'emails[type eq "x"].value', "value": "a"}),
            ("no path", "noTarget", {"op": "remove"}), ("no such operation", "invalidSyntax", {"op": "move"}),
        ):
            self.refused(f"a patch: {title}", 400, kind, "PATCH", path, {"schemas": [PATCH], "Operations": [operation]})


def main():
    http = connect()
    run_tester(http)
    Session(http).run()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
