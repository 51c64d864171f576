/// An open invitation. Whoever presents it in time joins the group, once.
public struct InvitationAnswer: Codable, Hashable, Sendable {
  /// What `peerd join` takes on the new device, on any network; null where this device has no address that others could be told.
  @Nullable public var url: String?
  /// The code alone: 12 characters.
  public let code: String
  /// Whether the code alone is enough on this device's local network: discovery announces it there.
  public let announced: Bool
  /// When it runs out.
  public let expires: Instant
}
