import PeerSync

extension InvitationAnswer {
  /// The URL, of a device that has an address.
  var link: String { url ?? "this device has no address" }

  /// The same with another code.
  var linkWithWrongCode: String { String(link.dropLast()) + (link.hasSuffix("0") ? "1" : "0") }
}
