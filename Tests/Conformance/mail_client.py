"""Runs `roster serve` with a real SMTP server (aiosmtpd), and checks the mails with password links.

usage: mail_client.py ROSTER
"""
import base64
import email
import email.policy
import json
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from aiosmtpd.controller import Controller

PASSWORD = "a staple of correct horses"
USER = "emma.mueller"
roster = str(pathlib.Path(sys.argv[1]).resolve())
seed = pathlib.Path(__file__).resolve().parents[2] / "Seeds/company.json"
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "password").write_text(PASSWORD + "\n")


class Mailbox:
    def __init__(self):
        self.mails = []
        self.notices = []
        self.delay = 0

    async def handle_DATA(self, server, session, envelope):
        time.sleep(self.delay)
        # The notice of the changed address comes between other mails, within some seconds, in the language that the user has then.
        subject = email.message_from_bytes(envelope.content, policy=email.policy.default)["Subject"]
        is_notice = "was changed" in subject or "wurde geändert" in subject
        (self.notices if is_notice else self.mails).append(envelope)
        return "250 OK"

    def next(self):
        for _ in range(100):
            if self.mails:
                envelope = self.mails.pop(0)
                return envelope, email.message_from_bytes(envelope.content, policy=email.policy.default)
            time.sleep(0.1)
        sys.exit("no mail came")


class Server:
    def __init__(self, smtp):
        self.log = open(folder / "log", "w+")
        self.process = subprocess.Popen(
            [roster, "serve", "--in-memory", "--seed", seed, "--listen", "127.0.0.1:0", "--admin-password-file",
             folder / "password", "--smtp", smtp, "--mail-from", "roster@example.com"],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                self.base = found[0]
                break

    def call(self, method, path, body=None):
        credentials = base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
        request = urllib.request.Request(
            self.base + path, json.dumps(body).encode() if body else None,
            {"Content-Type": "application/json", "Authorization": "Basic " + credentials}, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def change(self, **attributes):
        assert self.call("PUT", f"/oic_rest/rest/userprofile/people/{USER}", attributes)[0] == 200

    def send(self, kind="reset"):
        return self.call("POST", f"/admin/users/{USER}/password-link", {"kind": kind, "send": True})

    def stop(self):
        self.process.terminate()
        self.process.wait()
        return (folder / "log").read_text()


def status(url):
    try:
        return urllib.request.urlopen(url).status
    except urllib.error.HTTPError as error:
        return error.code


mailbox = Mailbox()
with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
controller = Controller(mailbox, hostname="127.0.0.1", port=port)
controller.start()
server = Server(f"smtp://127.0.0.1:{port}")

former = server.call("GET", f"/oic_rest/rest/userprofile/people/{USER}")[1]["mail"]
server.change(givenname="Zoë", mail="zoe@example.com", preferredlanguage="de")
code, answer = server.send("invitation")
assert code == 201 and "url" not in answer, answer
envelope, mail = mailbox.next()
assert (envelope.mail_from, envelope.rcpt_tos) == ("roster@example.com", ["zoe@example.com"])
assert mail["Auto-Submitted"] == "auto-generated" and mail["Date"] and mail["Message-ID"]
assert "Guten Tag Zoë" in mail.get_content()
older = re.search(r"http\S+token=\S+", mail.get_content())[0]
assert status(older) == 200

server.change(preferredlanguage="fr")
assert server.send()[0] == 201
_, mail = mailbox.next()
assert "Hello Zoë" in mail.get_content() and set(mail.keys()).isdisjoint({"Bcc", "Cc"})
newer = re.search(r"http\S+token=\S+", mail.get_content())[0]
assert status(older) == 404 and status(newer) == 200, "the newer link ends the older one"



def forget(name, base):
    """Sends the form of a user who forgot the password: the answer, and the seconds that it took."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    page = opener.open(base + "/oauth2/forgotten").read().decode()
    sealed = re.search(r'name="request" value="([^"]+)"', page)[1]
    began = time.monotonic()
    answer = opener.open(base + "/oauth2/forgotten", urllib.parse.urlencode({"request": sealed, "username": name}).encode()).read()
    return answer, time.monotonic() - began


assert "Forgotten your password?" in urllib.request.urlopen(server.base + "/oauth2/sign-in").read().decode()
server.change(password="seven swans on a lake", preferredlanguage="en")
unknown, slow = forget("nobody@example.com", server.base)
known, quick = forget("zoe@example.com", server.base)
assert unknown == known and abs(slow - quick) < 0.5, (slow, quick)
envelope, mail = mailbox.next()
assert envelope.rcpt_tos == ["zoe@example.com"] and "new password" in mail["Subject"].lower(), mail["Subject"]
time.sleep(1)
assert not mailbox.mails, "one mail, and none for the unknown address"
for _ in range(100):
    if mailbox.notices:
        break
    time.sleep(0.1)
assert [notice.rcpt_tos for notice in mailbox.notices] == [[former]], "the former address is told of the change"
assert forget(USER, server.base)[0] == known
mailbox.next()
for _ in range(2):
    forget(USER, server.base)
time.sleep(1)
assert len(mailbox.mails) == 1, "a user gets three mails in half an hour"
mailbox.mails.clear()
try:
    for _ in range(120):
        forget("anybody", server.base)
    raise AssertionError("nobody stops who asks too often")
except urllib.error.HTTPError as error:
    assert error.code == 429 and int(error.headers["Retry-After"]) > 0



def sign_in(opener):
    """Signs the user in on the page for people."""
    page = opener.open(server.base + "/oauth2/sign-in?again=1").read().decode()
    sealed = re.search(r'name="request" value="([^"]+)"', page)[1]
    form = {"request": sealed, "username": USER, "password": "seven swans on a lake"}
    return opener.open(server.base + "/oauth2/sign-in", urllib.parse.urlencode(form).encode())


mailbox.mails.clear()
browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
browser.addheaders = [("User-Agent", "Netscape 4\tof a friend")]
sign_in(browser)
envelope, mail = mailbox.next()
assert envelope.rcpt_tos == ["zoe@example.com"] and "New sign-in" in mail["Subject"], mail["Subject"]
assert "Netscape 4" in mail.get_content() and "127.0.0.1" in mail.get_content() and "{{" not in mail.get_content(), mail.get_content()
sign_in(browser)
time.sleep(1)
assert not mailbox.mails, "a browser that is known is told once"
sign_in(urllib.request.build_opener(urllib.request.HTTPCookieProcessor()))
time.sleep(1)
assert not mailbox.mails, "further new browsers of an hour are told in one mail"

mailbox.delay = 3
began = time.monotonic()
assert server.send()[0] == 201
assert time.monotonic() - began < 2, "a slow mail server delays no request"
mailbox.next()
mailbox.delay = 0
server.stop()
controller.stop()

server = Server(f"smtp://127.0.0.1:{port}")
server.change(mail="zoe@example.com")
assert server.send()[0] == 201, "a mail server that is down fails no request"
time.sleep(2)
log = server.stop()
assert "A mail was not sent" in log and "zoe@" not in log and "token=" not in log, log

# A mail server that nobody vouches for gets no mail and no password.
subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"],
               check=True, stderr=subprocess.DEVNULL)
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
controller = Controller(mailbox, hostname="127.0.0.1", port=port, ssl_context=context)
anybody = ssl.create_default_context()
anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE


def knock():
    """Begins a connection, as the controller does of itself with a server whose certificate is good."""
    with socket.create_connection(("127.0.0.1", port)) as connection, anybody.wrap_socket(connection) as secure:
        secure.recv(100)


controller._trigger_server = knock
controller.start()
mailbox.mails.clear()
server = Server(f"smtps://127.0.0.1:{port}")
server.change(mail="zoe@example.com")
assert server.send()[0] == 201
time.sleep(2)
log = server.stop()
assert "A mail was not sent" in log and not mailbox.mails, (log, mailbox.mails)
controller.stop()
print("mails: all is well")
