import PeerSync

extension Console {
  /// One line about the time that was used, and who vouches for it.
  func time(_ time: TimeAnswer) -> String {
    line(time) + (time.accepted.map { "; " + words(.clockAccepted(date($0))) } ?? "")
  }

  private func line(_ time: TimeAnswer) -> String {
    guard let voucher = time.vouchedBy else { return words(.timeAlone(date(time.now))) }
    let who = Style.harmless(voucher.name ?? voucher.device ?? words(.theStore))
    guard time.source == "clock" else {
      return words(.timeVouched(date(time.now), by: who)) + style.bad(words(.clockSays(date(time.wall))))
    }
    return words(.time(date(time.now))) + words(.vouches(who))
  }
}
