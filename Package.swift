// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
// What is tested is optimized in a release build, the tests themselves need not be: that takes longer than it saves. And they are
// compiled in batches, by all processors at once, instead of each module by one.
let unoptimized: [SwiftSetting] = [
  .unsafeFlags(["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"])
]

// The targets of the library, each with the targets it may use: the compiler keeps these borders.
let core = "PeerSyncCore"
let device = "PeerSync"
let avahi = "PeerSyncAvahi"
let control = "PeerSyncControl"
let sandbox = "PeerSyncSandbox"
let sandboxServer = "PeerSyncSandboxServer"
let simulation = "PeerSyncSimulation"
let testing = "PeerSyncTesting"
/// What peerd is made of.
let everything: [Target.Dependency] = [
  .target(name: core), .target(name: device), .target(name: avahi), .target(name: control),
  .target(name: sandbox),
  .target(name: sandboxServer), .target(name: simulation),
]

/// A target of the library, in a folder of Sources/PeerSync.
func library(
  _ name: String, _ folder: String, uses: [String], system: [String] = [], resources: [Resource] = [],
  settings: [SwiftSetting] = []
) -> Target {
  .target(
    name: name, dependencies: (uses + system).map { .target(name: $0) }, path: "Sources/PeerSync/" + folder,
    resources: resources, swiftSettings: strict + settings)
}

let package = Package(
  name: "PeerSync",
  products: [
    .library(name: "PeerSync", targets: [device]),
    .library(name: "PeerSyncCore", targets: [core]),
    .library(name: "PeerSyncAvahi", targets: [avahi]),
    .library(name: "PeerSyncTesting", targets: [testing]),
    .executable(name: "peerd", targets: ["peerd"]),
  ],
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CEpoll"),
    .systemLibrary(name: "CNetlink"),
    // Its pkg-config file has flags that SwiftPM refuses; the module map says what to link.
    .systemLibrary(name: "CAvahi", providers: [.apt(["libavahi-client-dev"])]),
    .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    library(core, "Core", uses: []),
    library(device, "Device", uses: [core], system: ["CSQLite", "COpenSSL", "CEpoll", "CNetlink"]),
    library(avahi, "Avahi", uses: [core, device], system: ["CAvahi"]),
    library(
      control, "Control", uses: [core, device], system: ["CEpoll", "CMicroHTTPD", "CQREncode"],
      resources: ["page.html", "style.css", "script.js"].map { .embedInCode("Dashboard/" + $0) }
        + ["parts.css", "dom.js", "parts.js"].map { .embedInCode("Pages/" + $0) }),
    library(sandbox, "Sandbox/Model", uses: [core]),
    library(sandboxServer, "Sandbox/Server", uses: [core, sandbox, device, control]),
    library(simulation, "Simulation", uses: [core, sandbox]),
    library(
      testing, "Testing", uses: [core, simulation, device],
      // What a test asks runs where the test does.
      settings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    .executableTarget(
      name: "peerd", dependencies: everything,
      resources: ["page.html", "style.css", "words.js", "script.js"].map { .embedInCode("Lab/" + $0) },
      swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: everything, path: "Tests/TestSupport",
      swiftSettings: strict + unoptimized),
    .testTarget(
      name: "PeerSyncTests",
      dependencies: everything + [.target(name: testing), "peerd", "TestSupport", "COpenSSL", "CAvahi"],
      exclude: ["Core/Golden"], swiftSettings: strict + unoptimized),
    // What somebody writes who has PeerSyncCore alone.
    .testTarget(
      name: "RunnerTests", dependencies: [.target(name: core)], packageAccess: false,
      swiftSettings: strict + unoptimized),
    .testTarget(
      name: "IntegrationTests", dependencies: everything + ["peerd", "TestSupport"],
      swiftSettings: strict + unoptimized),
  ]
)
