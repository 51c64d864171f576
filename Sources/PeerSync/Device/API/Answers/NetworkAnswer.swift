/// Where a peer has reached this device.
public struct DialBackAnswer: Codable, Hashable, Sendable {
  /// The id of the peer that was asked; null where none is connected.
  @Nullable public var peer: String?
  /// The addresses that this device announces and the peer has dialled: none where it did not answer in time, or knows of none.
  public let addresses: [Dialled]

  /// An address that was dialled.
  public struct Dialled: Codable, Hashable, Sendable {
    /// Where this device says that it listens.
    public let address: String
    /// Whether this device answered there, and proved who it is.
    public let reached: Bool
  }
}

/// Whether the device is on the network.
public struct NetworkAnswer: Codable, Hashable, Sendable {
  /// False: cut off from its peers.
  public let online: Bool
}
