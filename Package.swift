// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
// What is tested is optimized in a release build, the tests themselves need not be: that takes longer than it saves.
let unoptimized: [SwiftSetting] = [.unsafeFlags(["-Onone"])]

let package = Package(
  name: "PeerSync",
  products: [
    .library(name: "PeerSync", targets: ["PeerSync"]),
    .executable(name: "peerd", targets: ["peerd"]),
  ],
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CEpoll"),
    .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .target(
      name: "PeerSync", dependencies: ["CSQLite", "CMicroHTTPD", "COpenSSL", "CQREncode", "CEpoll"],
      resources: ["page.html", "style.css", "script.js"].map { .embedInCode("Control/Dashboard/" + $0) },
      swiftSettings: strict),
    .executableTarget(name: "peerd", dependencies: ["PeerSync"], swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["PeerSync"], path: "Tests/TestSupport",
      swiftSettings: strict + unoptimized),
    .testTarget(
      name: "PeerSyncTests", dependencies: ["PeerSync", "peerd", "TestSupport", "COpenSSL"],
      exclude: ["Golden"], swiftSettings: strict + unoptimized),
    .testTarget(
      name: "IntegrationTests", dependencies: ["PeerSync", "peerd", "TestSupport"],
      swiftSettings: strict + unoptimized),
  ]
)
