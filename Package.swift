// swift-tools-version: 6.2
import PackageDescription

/// What every target is built with: Swift 6 mode, no warnings, and the upcoming features that change meaning.
let common: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

/// Shipped targets also say `unsafe` at each use of memory that the compiler cannot check.
let shipped = common + [.strictMemorySafety()]

let package = Package(
    name: "Parlor",
    products: [
        .executable(name: "parlord", targets: ["parlord"]),
        .executable(name: "parlor", targets: ["parlor"]),
        .executable(name: "parlor-bench", targets: ["parlor-bench"]),
        .executable(name: "parlor-sim", targets: ["parlor-sim"]),
    ],
    targets: [
        // C libraries, from Debian's -dev packages (Scripts/setup). Each is imported by exactly one module.
        .systemLibrary(name: "CUv"),
        .systemLibrary(name: "COpenSSL"),
        .systemLibrary(name: "CSodium"),
        .systemLibrary(name: "CAvahi"),
        .systemLibrary(name: "CInih"),
        .systemLibrary(name: "CSQLite"),

        // The core: values, no I/O, no clock, no chance.
        .target(name: "ParlorGames", swiftSettings: shipped),
        .target(name: "ParlorCrypto", dependencies: ["CSodium"], swiftSettings: shipped),
        .target(
            name: "ParlorProtocol", dependencies: ["ParlorGames", "ParlorCrypto"], swiftSettings: shipped),
        .target(
            name: "ParlorRecords", dependencies: ["ParlorProtocol", "ParlorGames", "ParlorCrypto"],
            swiftSettings: shipped),
        .target(
            name: "ParlorSim", dependencies: ["ParlorProtocol", "ParlorGames", "ParlorCrypto"],
            swiftSettings: shipped),

        // The edges: one owner for each C library.
        .target(name: "ParlorNet", dependencies: ["CUv", "COpenSSL"], swiftSettings: shipped),
        .target(name: "ParlorDiscovery", dependencies: ["CAvahi"], swiftSettings: shipped),
        .target(
            name: "ParlorStore", dependencies: ["CInih", "CSQLite", "ParlorCrypto"], swiftSettings: shipped),
        .target(name: "ParlorControl", swiftSettings: shipped),

        // What matches look like from outside, for the daemon and for files alike.
        .target(
            name: "ParlorViews",
            dependencies: ["ParlorControl", "ParlorProtocol", "ParlorGames", "ParlorCrypto"],
            swiftSettings: shipped),

        // The drivers.
        .target(
            name: "ParlorDaemon",
            dependencies: [
                "ParlorControl", "ParlorViews", "ParlorDiscovery", "ParlorNet", "ParlorStore",
                "ParlorRecords", "ParlorProtocol", "ParlorGames", "ParlorCrypto",
            ],
            swiftSettings: shipped),
        .target(
            name: "ParlorTerminal", dependencies: ["ParlorControl", "ParlorViews", "ParlorProtocol"],
            swiftSettings: shipped),

        // The executables: option parsing, signals, exit codes.
        .executableTarget(name: "parlord", dependencies: ["ParlorDaemon"], swiftSettings: shipped),
        .executableTarget(
            name: "parlor", dependencies: ["ParlorTerminal", "ParlorControl"], swiftSettings: shipped),
        .executableTarget(
            name: "parlor-bench",
            dependencies: [
                "ParlorSim", "ParlorNet", "ParlorProtocol", "ParlorGames", "ParlorCrypto", "ParlorControl",
            ],
            swiftSettings: shipped),

        .executableTarget(
            name: "parlor-sim", dependencies: ["ParlorSim", "ParlorProtocol", "ParlorGames", "ParlorCrypto"],
            swiftSettings: shipped),

        // Tests: one folder a target, and those that need the built programs.
        .testTarget(
            name: "ParlorGamesTests", dependencies: ["ParlorGames", "ParlorCrypto"], swiftSettings: common),
        .testTarget(name: "ParlorCryptoTests", dependencies: ["ParlorCrypto"], swiftSettings: common),
        .testTarget(
            name: "ParlorProtocolTests",
            dependencies: ["ParlorProtocol", "ParlorRecords", "ParlorSim", "ParlorGames", "ParlorCrypto"],
            swiftSettings: common),
        .testTarget(
            name: "ParlorRecordsTests",
            dependencies: ["ParlorRecords", "ParlorSim", "ParlorProtocol", "ParlorGames", "ParlorCrypto"],
            swiftSettings: common),
        .testTarget(name: "ParlorNetTests", dependencies: ["ParlorNet"], swiftSettings: common),
        .testTarget(name: "ParlorDiscoveryTests", dependencies: ["ParlorDiscovery"], swiftSettings: common),
        .testTarget(
            name: "ParlorStoreTests", dependencies: ["ParlorStore", "ParlorCrypto"], swiftSettings: common),
        .testTarget(name: "ParlorControlTests", dependencies: ["ParlorControl"], swiftSettings: common),
        .testTarget(
            name: "ParlorTerminalTests",
            dependencies: [
                "ParlorTerminal", "ParlorControl", "ParlorViews", "ParlorSim", "ParlorProtocol",
                "ParlorGames", "ParlorCrypto",
            ],
            swiftSettings: common),
        .testTarget(
            name: "ParlorDaemonTests",
            dependencies: [
                "ParlorDaemon", "ParlorControl", "ParlorDiscovery", "ParlorNet", "ParlorProtocol",
                "ParlorGames",
            ],
            swiftSettings: common),
        .testTarget(name: "TidyTests", swiftSettings: common),
    ]
)

// The fuzz targets, for Scripts/fuzz alone: they need a sanitizer that an ordinary build does not have.
if Context.environment["PARLOR_FUZZ"] != nil {
    package.products = [.executable(name: "parlor-fuzz", targets: ["ParlorFuzz"])]
    package.targets.removeAll { $0.type == .test }
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "ParlorFuzz",
            dependencies: [
                "CFuzzer", "ParlorControl", "ParlorDiscovery", "ParlorStore", "ParlorSim", "ParlorProtocol",
                "ParlorGames", "ParlorCrypto",
            ],
            path: "Tests/Fuzz", exclude: ["CFuzzer", "Corpus", "seeds.py"], swiftSettings: common),
    ]
}
