// swift-tools-version: 6.2
import PackageDescription

/// The settings that every Swift target is held to.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// xmlsec and libxml2. The flags of xmlsec's pkg-config file contain definitions that SwiftPM refuses with a warning at every
/// build, so on Linux the headers are found by links to their fixed places, and `shim.h` has the definitions.
#if os(Linux)
    let xmlSecurity = Target.target(name: "CXMLSecurity")
#else
    let xmlSecurity = Target.systemLibrary(
        name: "CXMLSecurity", path: "Sources/CXMLSecurity/include", pkgConfig: "xmlsec1-openssl",
        providers: [.brew(["libxmlsec1"])])
#endif

let package = Package(
    name: "Roster",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Roster", targets: ["Roster"]),
        .library(name: "RosterPostgreSQL", targets: ["RosterPostgreSQL"]),
        .library(name: "RosterFixtures", targets: ["RosterFixtures"]),
        .library(name: "RosterTransport", targets: ["RosterTransport"]),
        .library(name: "RosterClient", targets: ["RosterClient"]),
        .library(name: "RosterSecrets", targets: ["RosterSecrets"]),
        .library(name: "RosterSignInUI", targets: ["RosterSignInUI"]),
        .library(name: "RosterMobileSDK", targets: ["RosterMobileSDK"]),
        .library(name: "RosterAdministration", targets: ["RosterAdministration"]),
        .library(name: "RosterSignIn", targets: ["RosterSignIn"]),
        .library(name: "RosterREST", targets: ["RosterREST"]),
        .library(name: "RosterDialects", targets: ["RosterDialects"]),
        .library(name: "RosterBearer", targets: ["RosterBearer"]),
        .library(name: "RosterServer", targets: ["RosterServer"]),
        .library(name: "RosterLDAP", targets: ["RosterLDAP"]),
        .executable(name: "roster", targets: ["RosterCommand"]),
        .executable(name: "roster-bench", targets: ["RosterBench"]),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .target(name: "CSchema"),
        .target(name: "RosterText", swiftSettings: strict),
        .target(name: "RosterStore", dependencies: ["RosterText", "CSQLite"], swiftSettings: strict),
        .target(name: "Roster", dependencies: ["RosterText", "RosterStore", "CSchema"], swiftSettings: strict),
        .target(name: "CPostgreSQL"),
        .target(
            name: "RosterPostgreSQL", dependencies: ["RosterText", "RosterStore", "Roster", "CPostgreSQL"],
            swiftSettings: strict),
        .target(name: "CSeeds"),
        .target(name: "RosterFixtures", dependencies: ["Roster", "RosterText", "CSeeds"], swiftSettings: strict),
        .systemLibrary(
            name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .target(
            name: "RosterCrypto",
            dependencies: [
                "RosterText", "CCrypto", .target(name: "CCrypt", condition: .when(platforms: [.linux])),
                .target(name: "CArgon2", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: strict),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(
            name: "RosterTransport",
            dependencies: ["RosterText", .target(name: "CCurl", condition: .when(platforms: [.linux]))],
            swiftSettings: strict),
        .target(name: "RosterOpenID", dependencies: ["RosterText", "RosterCrypto"], swiftSettings: strict),
        .target(
            name: "RosterBearer", dependencies: ["RosterText", "RosterCrypto", "RosterOpenID", "RosterTransport"],
            swiftSettings: strict),
        .target(name: "RosterSecrets", dependencies: ["RosterText", "RosterCrypto"], swiftSettings: strict),
        .target(
            name: "RosterClient",
            dependencies: ["RosterText", "RosterCrypto", "RosterOpenID", "RosterTransport", "RosterSecrets", "Roster"],
            swiftSettings: strict),
        .target(
            name: "RosterSignInUI", dependencies: ["RosterText", "RosterClient"], swiftSettings: strict),
        .target(
            name: "RosterMobileSDK",
            dependencies: [
                "RosterText", "RosterCrypto", "RosterOpenID", "RosterTransport", "RosterSecrets", "Roster",
                "RosterClient",
            ],
            swiftSettings: strict),
        .target(name: "RosterAdministration", dependencies: ["RosterText", "Roster"], swiftSettings: strict),
        .target(
            name: "RosterSignIn",
            dependencies: [
                "RosterText", "RosterStore", "RosterCrypto", "RosterOpenID", "RosterTransport", "Roster",
                "RosterAdministration", "RosterSAML", "CPage",
            ],
            swiftSettings: strict),
        xmlSecurity,
        .target(name: "RosterSAML", dependencies: ["RosterText", "CXMLSecurity"], swiftSettings: strict),
        .target(
            name: "RosterREST",
            dependencies: [
                "RosterText", "RosterCrypto", "RosterOpenID", "RosterBearer", "Roster", "RosterAdministration",
                "RosterSignIn", "CPage",
            ],
            swiftSettings: strict),
        .target(
            name: "RosterDialects",
            dependencies: [
                "RosterText", "RosterCrypto", "Roster", "RosterAdministration", "RosterSignIn", "RosterREST",
            ], swiftSettings: strict),
        .target(
            name: "RosterServer",
            dependencies: [
                "RosterText", "RosterTLS", "Roster", "RosterREST", "RosterDialects", "RosterSignIn", "CMicroHTTPD",
                "CPage",
            ],
            swiftSettings: strict),
        .target(name: "CPage"),
        .systemLibrary(
            name: "CLDAP", pkgConfig: "ldap", providers: [.apt(["libldap-dev"]), .brew(["openldap"])]),
        .systemLibrary(
            name: "CLBER", pkgConfig: "lber", providers: [.apt(["libldap-dev"]), .brew(["openldap"])]),
        .systemLibrary(
            name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"]), .brew(["gnutls"])]),
        .target(name: "RosterTLS", dependencies: ["RosterText", "CGnuTLS"], swiftSettings: strict),
        .target(
            name: "RosterLDAP",
            dependencies: ["RosterText", "RosterCrypto", "RosterTLS", "Roster", "RosterSignIn", "CLBER"],
            swiftSettings: strict),
        .executableTarget(
            name: "RosterCommand",
            dependencies: [
                "Roster", "RosterText", "RosterFixtures", "RosterOpenID", "RosterTransport", "RosterSecrets",
                "RosterClient", "RosterREST", "RosterServer", "RosterLDAP", "RosterAdministration", "RosterSignIn",
                "RosterPostgreSQL", "CLDAP",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "RosterBench",
            dependencies: [
                "Roster", "RosterFixtures", "RosterSecrets", "RosterClient", "RosterServer", "RosterSignIn",
                "RosterTransport",
                "RosterPostgreSQL", "CSQLite",
            ],
            path: "Tests/Benchmarks",
            exclude: [
                "ask.lua", "chart.py", "everybody.py", "ldap.py", "ldap_load.c", "login.py", "matching.py", "people.py",
                "serve.sh", "serve_postgresql.sh", "sign_in.sh", "worst_caller.py",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "roster-crash", dependencies: ["Roster", "RosterPostgreSQL"], path: "Tests/CrashWriter",
            swiftSettings: strict),
        .executableTarget(
            name: "roster-storm",
            dependencies: ["Roster", "RosterStore", "RosterText", "RosterTransport", "TestSupport"],
            path: "Tests/Storm", exclude: ["faults.c"], swiftSettings: strict),
        .executableTarget(
            name: "roster-token-holder", dependencies: ["RosterSecrets", "RosterClient", "RosterMobileSDK"],
            path: "Tests/TokenHolder",
            swiftSettings: strict),
        .target(
            name: "TestSupport", dependencies: ["Roster", "RosterPostgreSQL", "RosterStore", "RosterText"],
            path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "ServiceTestSupport",
            dependencies: [
                "RosterText", "RosterCrypto", "Roster", "RosterFixtures", "RosterSignIn", "RosterREST",
                "RosterDialects",
                "RosterServer", "RosterOpenID", "RosterTransport", "RosterSecrets", "RosterClient", "TestSupport",
            ],
            path: "Tests/ServiceTestSupport", swiftSettings: strict),
        .testTarget(
            name: "ContractTests", dependencies: ["ServiceTestSupport", "RosterStore"], path: "Tests/Contracts",
            swiftSettings: strict),
        .testTarget(name: "TimingTests", dependencies: ["ServiceTestSupport"], swiftSettings: strict),
        .testTarget(
            name: "RosterRESTInternalTests", dependencies: ["ServiceTestSupport", "RosterAdministration"],
            swiftSettings: strict),
        .testTarget(
            name: "RosterTests",
            dependencies: ["Roster", "RosterFixtures", "RosterStore", "TestSupport", "roster-crash"],
            swiftSettings: strict),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Roster", "RosterFixtures", "RosterTransport", "RosterSecrets", "RosterClient", "RosterSignInUI",
                "RosterMobileSDK", "RosterAdministration", "RosterSignIn",
                "RosterREST", "RosterDialects", "RosterBearer", "RosterServer", "RosterLDAP",
            ],
            swiftSettings: strict),
        .testTarget(name: "RosterTextTests", dependencies: ["RosterText", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "RosterTransportTests", dependencies: ["RosterTransport", "RosterText", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "RosterClientTests",
            dependencies: [
                "RosterSecrets", "RosterClient", "RosterSignInUI", "RosterMobileSDK", "RosterText", "RosterOpenID",
                "RosterTransport", "Roster", "RosterFixtures", "RosterAdministration", "RosterSignIn", "RosterServer",
                "ServiceTestSupport",
                "TestSupport", "roster-token-holder",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RosterMobileSDKTests",
            dependencies: [
                "RosterMobileSDK", "RosterSecrets", "RosterClient", "RosterText", "RosterCrypto", "RosterTransport",
                "Roster",
                "RosterSignIn", "RosterServer", "ServiceTestSupport", "TestSupport", "roster-token-holder",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RosterOpenIDTests", dependencies: ["RosterOpenID", "RosterText", "RosterSignIn", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "RosterCommandTests", dependencies: ["RosterCommand"], swiftSettings: strict),
        .testTarget(
            name: "RosterPostgreSQLTests",
            dependencies: [
                "RosterPostgreSQL", "Roster", "RosterStore", "RosterText", "RosterSignIn", "RosterREST",
                "RosterCommand", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RosterInternalTests", dependencies: ["Roster", "RosterStore", "RosterText", "TestSupport"],
            swiftSettings: strict),
        .target(name: "CFaults", dependencies: ["CSQLite"], path: "Tests/CFaults"),
        .testTarget(name: "FaultTests", dependencies: ["Roster", "RosterStore", "CFaults"], swiftSettings: strict),
        .testTarget(
            name: "RosterSignInTests",
            dependencies: [
                "RosterSignIn", "RosterCrypto", "RosterOpenID", "RosterStore", "RosterText", "Roster", "RosterFixtures",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RosterSAMLTests", dependencies: ["RosterSAML", "CXMLSecurity", "TestSupport"], exclude: ["Vectors"],
            swiftSettings: strict),
        .testTarget(
            name: "RosterRESTTests",
            dependencies: [
                "RosterREST", "RosterStore", "RosterText", "RosterCrypto", "RosterOpenID", "RosterFixtures",
                "TestSupport", "ServiceTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RosterBearerTests",
            dependencies: [
                "RosterBearer", "Roster", "RosterREST", "RosterServer", "RosterSignIn", "RosterOpenID",
                "RosterTransport",
                "RosterText", "RosterFixtures", "TestSupport", "ServiceTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RosterServerTests",
            dependencies: [
                "CPage", "RosterServer", "RosterREST", "RosterSignIn", "RosterStore", "RosterText", "RosterTLS",
                "RosterFixtures", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RosterLDAPTests",
            dependencies: [
                "RosterLDAP", "Roster", "RosterFixtures", "RosterSignIn", "RosterText", "ServiceTestSupport",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SchemaTests", dependencies: ["Roster", "RosterSignIn", "RosterStore", "RosterText", "CSchema"],
            swiftSettings: strict),
    ],
    cLanguageStandard: .c2x
)
