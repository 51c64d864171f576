import PeerSync

extension Console {
  /// One line about the time that was used, and who vouches for it.
  func time(_ time: TimeAnswer) -> String {
    line(time) + (time.accepted.map { "; a person accepted its clock at \(date($0))" } ?? "")
  }

  private func line(_ time: TimeAnswer) -> String {
    guard let voucher = time.vouchedBy else { return "time \(date(time.now)), by this device's clock alone" }
    let who = Table.harmless(voucher.name ?? voucher.device ?? "the store")
    guard time.source == "clock" else {
      return "time \(date(time.now)), vouched for by \(who); "
        + style.bad("this device's clock says \(date(time.wall))")
    }
    return "time \(date(time.now)), by this device's clock; \(who) vouches for it"
  }
}
