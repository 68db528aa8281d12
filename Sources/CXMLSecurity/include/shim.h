// Swift calls libxml2 and xmlsec for signed XML, libcrypto for certificates, and zlib for compressed credentials, because
// libxml2 reads gzip from files only, and without a limit. This module adds no code of its own.
#pragma once

#if !__has_include(<xmlsec/version.h>)
#error "xmlsec is missing. Install libxmlsec1-dev."
#endif
#include <xmlsec/version.h>

// SwiftPM does not pass the definitions in xmlsec's pkg-config file on. The first one decides how wide the library's sizes
// are, and must be as the library was built: versions up to 1.2 were built with unsigned int.
#if XMLSEC_VERSION_MAJOR == 1 && XMLSEC_VERSION_MINOR < 3 && !defined(XMLSEC_NO_SIZE_T)
#define XMLSEC_NO_SIZE_T
#endif
#ifndef XMLSEC_CRYPTO_OPENSSL
#define XMLSEC_CRYPTO_OPENSSL 1
#endif
#ifndef XMLSEC_NO_CRYPTO_DYNAMIC_LOADING
#define XMLSEC_NO_CRYPTO_DYNAMIC_LOADING 1
#endif

// Debian's libxml2 includes the headers of ICU, of which Foundation brings another version. Only a structure that Roster
// never reads depends on them.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/c14n.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/valid.h>
#include <libxml/xmlerror.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <xmlsec/crypto.h>
#include <xmlsec/errors.h>
#include <xmlsec/openssl/app.h>
#include <xmlsec/openssl/crypto.h>
#include <xmlsec/xmldsig.h>
#include <xmlsec/xmlsec.h>
#include <zlib.h>

/// The form in which distinguished names are written: RFC 2253 in UTF-8. Swift does not import macros that combine others.
static const unsigned long roster_name_flags = XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB;
