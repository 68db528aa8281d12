"""signed a user in, took name, mail and groups, refused somebody without the role"""

import os

from client import MAIL, OTHER, PASSWORD, USER, check
from with_python_ldap import version

GUIDE = "RosterWithPython", "django-auth-ldap"
SITE = f"""
import sys
sys.path.insert(0, "/opt/app")
from django.conf import settings
import ldap_settings
settings.configure(
    DATABASES={{"default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}}}, USE_TZ=True,
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes"],
    **{{name: getattr(ldap_settings, name) for name in dir(ldap_settings) if name.startswith("AUTH")}})
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.contrib.auth import authenticate
user = authenticate(username="{USER}", password="{PASSWORD}")
print("user:", user, user.email, user.is_staff, sorted(group.name for group in user.groups.all()))
print("wrong:", authenticate(username="{USER}", password="wrong"))
print("other:", authenticate(username="{OTHER}", password="{PASSWORD}"))
"""


def test(root, guide):
    root.write("/opt/app/site.py", SITE)
    status, text = root.ask(os.environ["VENV"] + "/bin/python", "/opt/app/site.py")
    check("the user signs in, with mail, flag and groups", f"user: {USER} {MAIL} True ['platform']" in text, text)
    check("a wrong password is refused", "wrong: None" in text, text)
    check("who is not in the role is refused", "other: None" in text, text)
    return version(root, "django-auth-ldap")
