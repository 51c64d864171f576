/// The entitlements.
public struct EntitlementsAnswer: Codable, Hashable, Sendable {
  /// By id.
  public let entitlements: [EntitlementAnswer]

  package init(entitlements: [EntitlementAnswer]) {
    self.entitlements = entitlements
  }
}
