// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ConvergenceTests",
  dependencies: [.package(name: "PeerSync", path: "../..")],
  targets: [
    .testTarget(
      name: "ConvergenceTests",
      dependencies: [.product(name: "PeerSyncTesting", package: "PeerSync")])
  ]
)
