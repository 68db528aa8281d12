#!/usr/bin/env python3
"""A SAML identity provider that nobody here wrote (pysaml2 with Debian's xmlsec1), for one assertion at a time.

    python3 -m venv /tmp/saml-venv && /tmp/saml-venv/bin/pip install -r Tests/Conformance/requirements-saml.txt
    openssl req -x509 -newkey rsa:2048 -nodes -keyout idp.key -out idp.pem -days 30 -subj /CN=idp.example
    /tmp/saml-venv/bin/python Tests/Conformance/saml_idp.py --key idp.key --cert idp.pem \\
        --issuer https://idp.example/metadata --audience https://roster.example/exchange \\
        --recipient https://roster.example/exchange --subject ada --attribute groups=staff --attribute groups=admins

Prints base64 of a response that holds a signed assertion, or of the assertion alone (--bare), or of either in gzip
(--gzip), in one line.
"""

import argparse
import base64
import datetime
import gzip
import re
import sys
from xml.sax.saxutils import quoteattr

from saml2 import BINDING_HTTP_POST, saml
from saml2.attribute_converter import AttributeConverter
from saml2.config import IdPConfig
from saml2.saml import NAME_FORMAT_URI, NAMEID_FORMAT_UNSPECIFIED, NameID
from saml2.server import Server
from saml2.xmldsig import DIGEST_SHA256, DIGEST_SHA512, SIG_RSA_SHA256, SIG_RSA_SHA512

# What a provider must know of us.
METADATA = """<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID={audience}>
<SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><AssertionConsumerService
Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location={recipient} index="0"/></SPSSODescriptor>
</EntityDescriptor>"""

ALGORITHMS = {"sha256": (SIG_RSA_SHA256, DIGEST_SHA256), "sha512": (SIG_RSA_SHA512, DIGEST_SHA512)}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--key", required=True, help="private key, PEM")
    parser.add_argument("--cert", required=True, help="certificate for it, PEM")
    parser.add_argument("--issuer", required=True, help="the provider's entity ID")
    parser.add_argument("--audience", required=True, help="for whom the assertion is")
    parser.add_argument("--recipient", required=True, help="where it may be used")
    parser.add_argument("--subject", required=True, help="whom it is about")
    parser.add_argument("--name-format", default=NAMEID_FORMAT_UNSPECIFIED, help="the kind of name, a URI")
    parser.add_argument("--attribute", action="append", default=[], metavar="NAME=VALUE", help="may be repeated")
    parser.add_argument("--minutes", type=int, default=5, help="how long it is valid; negative for an expired one")
    parser.add_argument("--algorithm", choices=sorted(ALGORITHMS), default="sha256")
    parser.add_argument("--sign-response", action="store_true", help="sign the response, too")
    parser.add_argument("--unsigned", action="store_true", help="do not sign the assertion")
    parser.add_argument("--bare", action="store_true", help="the assertion without the response")
    parser.add_argument("--gzip", action="store_true", help="compress before base64")
    parser.add_argument("--in-response-to", help="the request that it answers; none by default")
    return parser.parse_args()


def provider(options):
    """pysaml2's server without anything that it would fetch or store."""
    config = IdPConfig().load({
        "entityid": options.issuer,
        "key_file": options.key,
        "cert_file": options.cert,
        "xmlsec_binary": "/usr/bin/xmlsec1",
        "service": {"idp": {
            "endpoints": {"single_sign_on_service": [(options.issuer, BINDING_HTTP_POST)]},
            "policy": {"default": {
                "lifetime": {"minutes": options.minutes},
            }},
        }},
        "metadata": {"inline": [METADATA.format(
            audience=quoteattr(options.audience), recipient=quoteattr(options.recipient))]},
    })
    # Without this, "mail" would go out as an object identifier.
    names = AttributeConverter()
    names.from_dict({"identifier": NAME_FORMAT_URI, "fro": {}, "to": {}})
    config.attribute_converters = [names]
    return Server(config=config)


def attributes(options):
    result = {}
    for text in options.attribute:
        name, _, value = text.partition("=")
        result.setdefault(name, []).append(value)
    return result


def bare(response):
    """The assertion with the namespaces that the response declares for it, which exclusive canonicalization does not
    sign; all else to the character."""
    head = re.search(r"<\w+:Response\b[^>]*>", response).group(0)
    found = re.search(r"<(\w+:Assertion)\b(.*</\1>)", response, re.DOTALL)
    if not found:
        sys.exit("the response holds no assertion")
    namespaces = " ".join(re.findall(r'xmlns:\w+="[^"]*"', head))
    return f"<{found.group(1)} {namespaces}{found.group(2)}"


def main():
    options = arguments()
    signature, digest = ALGORITHMS[options.algorithm]
    response = provider(options).create_authn_response(
        identity=attributes(options),
        in_response_to=options.in_response_to,
        destination=options.recipient,
        sp_entity_id=options.audience,
        name_id=NameID(format=options.name_format, text=options.subject),
        authn={"class_ref": saml.AUTHN_PASSWORD, "authn_instant": int(datetime.datetime.now().timestamp())},
        sign_response=options.sign_response,
        sign_assertion=not options.unsigned,
        sign_alg=signature,
        digest_alg=digest,
    )
    xml = bare(str(response)) if options.bare else str(response)
    data = xml.encode()
    if options.gzip:
        data = gzip.compress(data)
    print(base64.b64encode(data).decode())


if __name__ == "__main__":
    main()
