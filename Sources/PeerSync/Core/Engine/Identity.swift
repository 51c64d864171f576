/// Who a device is: fixed when it is made, but for the group, which joining changes.
package struct Identity: Hashable, Sendable {
  package let device: DeviceID
  /// The incarnation of this device's store.
  package let replica: ReplicaID
  package var group: GroupID
  /// What people call the device.
  package let name: String
  package let environment: Environment
  /// The app whose purchases these are.
  package let bundleId: String

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
