import PeerSync

extension InvitationAnswer {
  /// The URL, of a device that has an address.
  var link: String { url ?? "this device has no address" }
}
