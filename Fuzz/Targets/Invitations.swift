import PeerSync

/// What people paste: an invitation, an address, an instant, an id.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let text = String(decoding: input(data, size), as: UTF8.self)
  if let invitation = InvitationURL(text) {
    check(InvitationURL(invitation.description) == invitation, "an invitation is not read back")
  }
  if let address = Address(text) {
    check(Address(address.description) == address, "an address is not read back")
  }
  if let instant = Instant(text) {
    check(Instant(instant.description) == instant, "an instant is not read back")
  }
  if let device = DeviceID(text) { check(DeviceID(device.description) == device, "an id is not read back") }
  return 0
}
