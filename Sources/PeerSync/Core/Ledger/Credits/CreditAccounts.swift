/// Who holds rights to a credit, with all that nobody knows as one, and what passed between devices: what is worked out from it takes no
/// longer for a member that makes holders up by the hundred thousand.
///
/// Nobody knows a holder of whose life nothing counts or is named, that states no number of the credit, and for which nothing was bought.
/// Those who know each other are bounded (``Limits/replicas``), and so are purchases. What such a holder has others say that they gave it,
/// and what it lacks they say that they took. It is kept up as numbers come in.
struct CreditAccounts: Sendable {
  /// What passed from one device to another.
  private struct Flow: Hashable {
    let giver: CreditHolder
    let receiver: CreditHolder
    let isGift: Bool
  }

  /// The holders that are known, in no order.
  private(set) var known: [CreditHolder] = []
  /// The first of the others, which stands for them in answers.
  private(set) var stranger: CreditHolder?
  /// What the others hold together.
  private(set) var strange: Int64 = 0
  /// How many there are.
  private(set) var holders = 0
  private var flows: [Flow: Int64] = [:]

  mutating func add(_ holder: CreditHolder, isStranger: Bool) {
    holders += 1
    if isStranger {
      stranger = min(stranger ?? holder, holder)
    } else {
      known.append(holder)
    }
  }

  /// Notes that more has passed from one device to another; all that nobody knows are ``CreditHolder/strangers``.
  mutating func pass(_ more: Int64, from giver: CreditHolder, to receiver: CreditHolder, isGift: Bool) {
    if giver == .strangers { strange &-= more }
    if receiver == .strangers { strange &+= more }
    guard giver != receiver else { return }
    flows[Flow(giver: giver, receiver: receiver, isGift: isGift), default: 0] &+= more
  }

  /// What devices have passed on to others, by the receivers: as gifts, or taken over.
  func passed(areGifts: Bool) -> [CreditHolder: [CreditHolder: Int64]] {
    var passed: [CreditHolder: [CreditHolder: Int64]] = [:]
    for (flow, amount) in flows where flow.isGift == areGifts {
      passed[flow.giver, default: [:]][flow.receiver] = amount
    }
    return passed
  }
}
