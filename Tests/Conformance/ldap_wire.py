"""Messages of LDAP as bytes, and a server of the small company to send them to, for the tests that break the rules."""

import os
import re
import socket
import subprocess
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BASE = "dc=nordwind,dc=example"
PASSWORD = "correct horse battery staple"


def length(count):
    if count < 0x80:
        return bytes([count])
    digits = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(digits)]) + digits


def element(tag, *contents):
    content = b"".join(contents)
    return bytes([tag]) + length(len(content)) + content


def text(value, tag=0x04):
    return element(tag, value.encode())


def number(value, tag=0x02):
    return element(tag, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def message(id, operation, *controls):
    return element(0x30, number(id), operation, *controls)


def bind(id, name=f"uid=admin,ou=people,{BASE}", password=PASSWORD):
    return message(id, element(0x60, number(3), text(name), text(password, 0x80)))


def search(id, filter, base=BASE, attributes=()):
    return message(id, element(
        0x63, text(base), number(2, 0x0A), number(0, 0x0A), number(0), number(0), element(0x01, b"\x00"), filter,
        element(0x30, *map(text, attributes))))


PRESENT = text("objectClass", 0x87)


def equal(name, value):
    return element(0xA3, text(name), text(value))


class Server:
    def __init__(self, roster, folder):
        with open(os.path.join(folder, "password"), "w") as file:
            file.write(PASSWORD + "\n")
        self.log = open(os.path.join(folder, "log"), "w+")
        self.process = subprocess.Popen(
            [roster, "serve", "--in-memory", "--seed", os.path.join(ROOT, "Seeds", "company.json"), "--listen", "127.0.0.1:0", "--quiet",
             "--admin-password-file", os.path.join(folder, "password"), "--ldap", "ldap://127.0.0.1:0", "--ldap-base", BASE],
            stdout=open(os.path.join(folder, "welcome"), "w"), stderr=self.log)
        end = time.time() + 60
        self.port = None
        while time.time() < end and self.port is None:
            found = re.search(r"at ldap://127\.0\.0\.1:(\d+)", open(self.log.name).read())
            if found:
                self.port = int(found[1])
            elif self.process.poll() is not None:
                raise SystemExit("The server ended: " + open(self.log.name).read())
            time.sleep(0.1)

    def connect(self, bound=False):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        if bound:
            client.sendall(bind(1))
            answer = client.recv(4096)
            assert b"\x61\x07\x0a\x01\x00" in answer, answer
        return client

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) // 1024

    def processor(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def tool(self, name, *arguments, user="admin"):
        return subprocess.run(
            [name, "-x", "-H", f"ldap://127.0.0.1:{self.port}", "-D", user, "-w", PASSWORD, *arguments], capture_output=True, text=True,
            timeout=60, env={"LDAPNOINIT": "1", "PATH": os.environ["PATH"]})

    def serves(self, user="admin"):
        done = self.tool("ldapsearch", "-LLL", "-b", BASE, "(uid=emma.mueller)", "uid", user=user)
        if done.returncode == 0 and "uid: emma.mueller" in done.stdout:
            return True
        print(f"        {user} was not served: {done.returncode} {done.stdout} {done.stderr}".rstrip())
        return False
