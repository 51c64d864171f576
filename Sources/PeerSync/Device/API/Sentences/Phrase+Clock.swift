// What `status` says of clocks that are wrong.
extension Phrase {
  /// - Parameters:
  ///   - lead: in milliseconds; negative: behind
  ///   - isOffset: whether the device was started so
  static func clockIsSet(by lead: Int64, isOffset: Bool) -> Phrase {
    let span = ClockSpan(milliseconds: lead)
    return Phrase(
      StatusAnswer.clockIsSet + "\(span) \(lead > 0 ? "ahead of" : "behind") the machine's by ",
      "시계가 컴퓨터의 시계보다 \(span.inKorean) \(lead > 0 ? "앞섭니다" : "늦습니다"): ")
      + (isOffset
        ? Phrase(
          "the offset that it was started with: start it without to have the machine's clock",
          "그렇게 시작했습니다. 그 옵션 없이 시작하면 컴퓨터의 시계를 따릅니다")
        : Phrase(
          "the clock of the sandbox store, which this device follows", "이 기기가 따르는 샌드박스 스토어의 시계입니다"))
  }

  static func behindStore(_ behind: ClockSpan, _ date: Instant) -> Phrase {
    let (english, korean) = (date.inUTC(.english), date.inUTC(.korean))
    return Phrase(
      "the clock is \(behind) behind what the store signed on \(english), which counts: set the clock right",
      "시계가 스토어의 서명 시각 \(korean)보다 \(behind.inKorean) 늦습니다. 스토어의 시각이 우선합니다. 시계를 맞추세요")
  }

  static func behindPeer(_ behind: ClockSpan, _ name: String) -> Phrase {
    Phrase(
      "the clock is \(behind) behind the time that \(name) vouched for, which counts: set the clock right",
      "시계가 ‘\(name)’ 기기가 보증한 시각보다 \(behind.inKorean) 늦습니다. 보증된 시각이 우선합니다. 시계를 맞추세요")
  }

  static func meetThird(_ name: String) -> Phrase {
    Phrase(
      "; if it is right, set that of \(name) right and connect both with a third one",
      ". 시계가 맞으면 ‘\(name)’ 기기의 시계를 맞추고 둘 다 세 번째 기기에 연결하세요")
  }

  static func meetMember(_ name: String) -> Phrase {
    Phrase(
      "; if it is right, connect a member whose clock is right: \(name), which is none any more, is not asked",
      ". 시계가 맞으면 시계가 맞는 다른 기기에 연결하세요. ‘\(name)’ 기기는 그룹에 없으므로 묻지 않습니다")
  }

  static let orAccept = Phrase(", or accept this clock", ". 아니면 이 시계를 받아들이세요")
  static let accept = Phrase("; if it is right, accept it", ". 시계가 맞으면 받아들이세요")
  static let beginAnew = Phrase(
    "; if it is right, make a new device here, let it join, and remove this one: the app allows nobody to accept this clock",
    ". 시계가 맞으면 여기에 새 기기를 만들어 그룹에 들어오게 하고 이 기기를 제거하세요. 앱은 이 시계를 받아들이는 것을 허용하지 않습니다")

  static func withdrawn(_ name: String, _ lead: ClockSpan) -> Phrase {
    Phrase(
      "\(name) had vouched for a time \(lead) ahead, which counts no more: the clocks of the members and this one agree on an earlier time",
      "‘\(name)’ 기기가 \(lead.inKorean) 앞선 시각을 보증했으나 더는 계산되지 않습니다. 그룹의 기기들과 이 기기의 시계가 더 이른 시각에서 일치합니다")
  }

  static func stampedAhead(_ lead: ClockSpan, isAlone: Bool) -> Phrase {
    Phrase(
      "what this device has decided is stamped up to \(lead) ahead of its clock; ",
      "이 기기가 정한 것에 시계보다 최대 \(lead.inKorean) 앞선 시각이 찍혀 있습니다. ")
      + (isAlone
        ? Phrase(
          "it counts here, and is stamped anew once a device whose clock is right has joined: pair one",
          "여기서는 계산되며, 시계가 맞는 기기가 들어오면 새로 찍힙니다. 기기를 하나 들이세요")
        : Phrase(
          "connect a device of the group whose clock is right, and it is stamped anew",
          "그룹에서 시계가 맞는 기기를 연결하면 새로 찍힙니다"))
  }

  static func stampedAnew(_ count: Int) -> Phrase {
    Phrase(
      "writes that a wrong clock had stamped ahead were stamped anew: \(count)",
      "잘못된 시계가 앞선 시각을 찍었던 기록을 새로 찍었습니다: \(count)건")
  }

  static func skew(_ peer: String, _ skew: ClockSpan, isAhead: Bool) -> Phrase {
    Phrase(
      "the clock of \(peer) is \(skew) \(isAhead ? "ahead of" : "behind") this one: set the wrong one right",
      "‘\(peer)’ 기기의 시계가 이 기기보다 \(skew.inKorean) \(isAhead ? "앞섭니다" : "늦습니다"). 틀린 쪽을 맞추세요")
  }

  static func heldBackHere(_ name: String, _ lead: ClockSpan) -> Phrase {
    Phrase(
      "decisions of \(name) are stamped \(lead) ahead and held back: set its clock right, or this one's, and they count",
      "‘\(name)’ 기기가 정한 것에 \(lead.inKorean) 앞선 시각이 찍혀 있어 보류합니다. 그 시계나 이 시계를 맞추면 계산됩니다")
  }

  static func heldBackThere(_ peer: String, _ lead: ClockSpan, isVouchedFor: Bool) -> Phrase {
    Phrase(
      "\(peer) holds back decisions of this device, stamped \(lead) ahead of its clock: ",
      "‘\(peer)’ 기기가 이 기기가 정한 것을 보류합니다. 그 시계보다 \(lead.inKorean) 앞선 시각이 찍혀 있습니다. ")
      + (isVouchedFor
        ? Phrase(
          "they count there once that clock is set right, or what was vouched for here is withdrawn",
          "그 시계를 맞추거나 여기서 보증된 시각을 거두면 그 기기에서도 계산됩니다")
        : Phrase(
          "set this clock right, or that one, and they count",
          "이 시계나 그 시계를 맞추면 계산됩니다"))
  }
}

extension ClockSpan {
  /// As ``description``, in every language.
  package var told: Phrase { Phrase(description, inKorean) }

  /// As ``description``, for people who read Korean.
  fileprivate var inKorean: String {
    let words = [("day", "일"), ("hour", "시간"), ("minute", "분"), ("second", "초")]
    return description.split(separator: " ").reduce(into: "") { text, part in
      guard let word = words.first(where: { part.hasPrefix($0.0) }) else {
        return text += (text.isEmpty ? "" : " ") + part
      }
      text += word.1
    }
  }
}
