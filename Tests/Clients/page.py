"""A browser without a screen: follows pages and sends their forms, with cookies."""

import html.parser
import http.cookiejar
import urllib.error
import urllib.parse
import urllib.request


class Form(html.parser.HTMLParser):
    """The fields of all forms of a page, with their values."""

    def __init__(self, text):
        super().__init__()
        self.fields, self.select, self.area, self.option = {}, None, None, None
        self.feed(text)

    def handle_starttag(self, tag, pairs):
        found = dict(pairs)
        name = found.get("name")
        if tag == "input" and name and found.get("type") not in ("submit", "image", "button", "checkbox", "radio", "file"):
            self.fields.setdefault(name, found.get("value") or "")
        elif tag == "select":
            self.select = name
        elif tag == "option" and self.select and ("selected" in found or self.select not in self.fields):
            self.fields[self.select] = found.get("value", "")
            self.option = None if "value" in found else self.select  # Its text is its value.
        elif tag == "textarea" and name:
            self.area = name
            self.fields[name] = ""

    def handle_endtag(self, tag):
        if tag == "select":
            self.select = None
        elif tag == "textarea":
            self.area = None

    def handle_data(self, data):
        if self.option:
            self.fields[self.option], self.option = data.strip(), None
        if self.area:
            self.fields[self.area] += data


class Browser:
    def __init__(self, address):
        self.address = address
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def open(self, path, fields=None, headers={}, **changes):
        """The text of a page; with fields, those are sent, with changes."""
        data = None
        if fields is not None:
            data = urllib.parse.urlencode({**fields, **changes}).encode()
        request = urllib.request.Request(urllib.parse.urljoin(self.address, path), data, headers)
        try:
            answer = self.opener.open(request, timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        self.address, self.status = answer.url, getattr(answer, "status", answer.code)
        return answer.read().decode(errors="replace")

    def fields(self, path):
        return Form(self.open(path)).fields
