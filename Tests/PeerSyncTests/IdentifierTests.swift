import PeerSync
import Testing

@Suite struct IdentifierTests {
  @Test func hexadecimalRoundTrip() {
    let id = DeviceID(high: 0x0123_4567_89ab_cdef, low: 7)
    #expect(id.description == "0123456789abcdef0000000000000007")
    #expect(DeviceID(id.description) == id)
    #expect(DeviceID("+123456789abcdef0000000000000007") == nil)
    #expect(DeviceID("short") == nil)
  }
}
