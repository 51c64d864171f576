/// Who a device is: fixed when it is made, but for the group, which joining changes.
public struct Identity: Hashable, Sendable {
  /// The device's id.
  public let device: DeviceID
  /// The incarnation of this device's store.
  public package(set) var replica: ReplicaID
  /// The group it belongs to.
  public package(set) var group: GroupID
  /// What people call the device.
  public let name: String
  /// The store whose purchases count.
  public let environment: Environment
  /// The app whose purchases these are.
  public let bundleId: String

  package init(
    device: DeviceID, replica: ReplicaID, group: GroupID, name: String, environment: Environment,
    bundleId: String
  ) {
    self.device = device
    self.replica = replica
    self.group = group
    self.name = name
    self.environment = environment
    self.bundleId = bundleId
  }
}
