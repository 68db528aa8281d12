/// A password, and its hashes in the schemes that other programs store.
public enum StoredPasswords {
    public static let password = "Grüße 123"

    /// Hashes of ``password``, made by Python's hashlib, by libxcrypt and by `openssl passwd`.
    public static let made = [
        "$scrypt$ln=4,r=8,p=1$8PHy8/T19vf4+fr7/P3+/w$xdq2dmV4eJXqR+/9QYyjWnb5ls/AC7zeXJbA+b6ID/k",
        "{SHA}Ly+aFvCdJNASPubm+/koFUqDaRY=",
        "{SSHA}uSPzT5HbG5OyZjqqbhrJXotP8grw8fLz9PX29w==",
        "{SHA256}6z/iKNQncDrvsiAWEh3Uol10mZ2jJAl1shrtkElBITw=",
        "{ssha256}diuvShFV5espeHgEmraF5KhguAaAFI10svcVRozJBvDw8fLz9PX29w==",
        "{SHA512}fNEF3yadM1TKjiHYFinqF+SEpnITN8g3/saTpwrEC20FNm0Vbb6dqlOn80CW6hW18CAS3Xrd3J9SV6zundiEHg==",
        "{SSHA512}gc1M89wzgGqAyyEq7yazCIjlmlcMsApfIr6MgANRopMfIDHTk7oAdJxokQWAsJ/C+K40jpWxi9aaz6ls4vB/QfDx8vP09fb3",
        "{SaltedSHA-512}"
            + "gc1M89wzgGqAyyEq7yazCIjlmlcMsApfIr6MgANRopMfIDHTk7oAdJxokQWAsJ/C+K40jpWxi9aaz6ls4vB/QfDx8vP09fb3",
        "{PBKDF2}10000$8PHy8/T19vf4.fr7/P3./w$d4WrvQsFxpSD.jtBWsqxp2TVS9k",
        "{pbkdf2-sha1}10000$8PHy8/T19vf4.fr7/P3./w$d4WrvQsFxpSD.jtBWsqxp2TVS9k",
        "{PBKDF2-SHA256}10000$8PHy8/T19vf4.fr7/P3./w$w3o1Bcv3128T51MQWAGPC2sF.9.l65.I6TBFwLkBD7g",
        "{PBKDF2-SHA512}10000$8PHy8/T19vf4.fr7/P3./w$"
            + "Hh8xUPHIJxsgLhEqLdIA2HGH.c/DhKrbJY6FrVHz19D8GughGWUVxan2cArwSxZLJJ2rzitL.AP7aeHdIRyFbQ",
        "$pbkdf2-sha1$6400$8PHy8/T19vf4.fr7/P3./w$Xc0avJw0L8vosNOM2fka1ggNdqk",
        "$pbkdf2-sha256$6400$8PHy8/T19vf4.fr7/P3./w$hjxg1AcFTSD4508w2oOW7qJFWv7WvkpkVNVOr50n5s0",
        "$pbkdf2-sha512$6400$8PHy8/T19vf4.fr7/P3./w$"
            + "wWpahOBoQ6CbgDz7byz3OT7w5SurcWzNLAchWAbTH7eEQEe2773cwooUawPrW/7YvK1HGlHuxPlLxn5fm/2oQQ",
        "pbkdf2_sha256$20000$seasalt2$/fFAJ9VUhuMT03bZlI9dXc89cH6Fj9Cx/TvU+KCjSwY=",
        "pbkdf2_sha1$1000$seasalt2$rCGLFa4BrZ4T3KrC5YkQiFx+X1Q=",
        "$1$saltsalt$vcYLmFaOVfPjhk3Y0zUd6.",
        "$5$saltsalt$DlZ28AVuA2mIgUZ3u0ArcjK5hlbTnYm8iczT3F4mP./",
        "{CRYPT}$6$saltsalt$"
            + "po5fag1lpymWNTBYJNZRmwL4qyOEvKEFBu0xLF/a7kV3uIh.h4fIPugGG8mo6tC0XoyxJZ.Wnz8b3tPd/eB3t1",
        "$2b$05$KBCwKxOzLha2MUDgW0PjXeajhzZan9SQJpVYzEn.R4WnCl1jsOqmq",
        "$2y$05$KBCwKxOzLha2MUDgW0PjXeajhzZan9SQJpVYzEn.R4WnCl1jsOqmq",
        "{crypt}$2a$04$KBCwKxOzLha2MUDgW0PjXembItIFECzZwnCUYH.Eh0duSPigV6oxS",
        "$y$j75$k2XAnEHBqQ1Ct2aMXFKNa/$ZGAoRHNpu3zEuB.MTksDFvdtPK7qUbeeyFrf6iQCbIB",
        "$y$j9T$k2XAnEHBqQ1Ct2aMXFKNa/$3J2KXKZOvhCefpZjD482d41e5jNTyG.6PochRCU7eE6",
        "$7$BU..../....k2XAnEHBqQ1Ct2aMXFKNa/$dB0l4UQYLMjdi.hIDI89ET.hv.kugBNxSK48iMc7PuB",
    ]
}
