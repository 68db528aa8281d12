#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

/// Swift does not see macros that are made of others.
static const int roster_evp_pkey_public_key = EVP_PKEY_PUBLIC_KEY;
static const unsigned long roster_name_flags = XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;

/// A reference to a key. Swift may send it to other threads: libcrypto counts references to a key atomically, and all calls
/// that Roster makes with a finished key only read it, which libcrypto allows on several threads at once.
typedef struct __attribute__((swift_attr("@Sendable"))) {
    EVP_PKEY *_Nonnull pointer;
} roster_key;
