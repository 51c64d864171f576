/// Who a device is: fixed when it is made, but for its name and the group, which follows from its membership records.
public struct Identity: Hashable, Sendable {
  /// The device's public key.
  public let key: PublicKey
  /// The device's id, which follows from its key.
  public let device: DeviceID
  /// The incarnation of this device's store.
  public package(set) var replica: ReplicaID
  /// The group it belongs to.
  public package(set) var group: GroupID
  /// What people call the device.
  public package(set) var name: String
  /// The store whose purchases count.
  public let environment: Environment
  /// The app whose purchases these are.
  public let bundleId: String

  package init(
    key: PublicKey, device: DeviceID, replica: ReplicaID, group: GroupID, name: String,
    environment: Environment, bundleId: String
  ) {
    self.key = key
    self.device = device
    self.replica = replica
    self.group = group
    self.name = name
    self.environment = environment
    self.bundleId = bundleId
  }
}
