import PeerSync
import PeerSyncSandbox

// Why the sandbox store does not do what it is told, for people.
extension SandboxRefusal {
  /// ``description``, in every language.
  var told: Phrase { Phrase(description, korean) }

  private var korean: String {
    switch self {
    case .unknownProduct(let id): "스토어에서 ‘\(id)’ 상품을 팔지 않습니다"
    case .unknownTransaction(let id): "스토어에 거래 \(id)번이 없습니다"
    case .unknownRequest(let id): "승인을 기다리는 구입 \(id)번이 없습니다"
    case .unknownAccount(let id): "‘\(id)’ 계정을 쓴 적이 없습니다"
    case .notForSale(let id): "‘\(id)’ 상품은 판매가 중단되었습니다. 다시 판매하세요"
    case .unknownCode(let code): "스토어에 ‘\(code)’ 혜택 코드가 없습니다"
    case .unknownOffer(let id): "이 상품에 ‘\(id)’ 혜택이 없습니다"
    case .notForThem(let id, let customers):
      "‘\(id)’ 혜택은 그룹의 \(customers.map(\.korean).joined(separator: "와 ")) 대상입니다. 혜택 없이 구입하세요"
    case .tooEarly(let id, let start):
      "이 계정은 \(start)부터 ‘\(id)’ 혜택을 쓸 수 있습니다. 그때까지 기다리거나 혜택 없이 구입하세요"
    case .redeemed(let id): "이 계정은 ‘\(id)’ 코드를 이미 썼습니다. 코드 없이 구입하거나 다른 코드를 쓰세요"
    case .notSubscription(let id): "거래 \(id)번은 자동 갱신 구독이 아닙니다. 자동 갱신 구독을 고르세요"
    case .decided(let id): "구입 \(id)번은 이미 승인하거나 거절했습니다. 다시 구입하세요"
    case .alreadyRefunded(let id): "거래 \(id)번은 이미 환불되었습니다. 되돌리려면 환불을 취소하세요"
    case .notRefunded(let id): "거래 \(id)번은 환불되지 않았습니다. 먼저 환불하세요"
    case .noIncrease(let id): "거래 \(id)번에는 동의를 기다리는 가격 인상이 없습니다. 먼저 가격을 올리세요"
    case .noLowerPrice(let id): "‘\(id)’ 상품의 새 가격이 이전 가격보다 높지 않습니다. 더 높은 가격을 지정하세요"
    case .tooHighPrice: "가격은 최대 \(Price.text(Limits.sandboxPrice))입니다. 더 낮은 가격을 지정하세요"
    case .ended(let id): "거래 \(id)번의 구독이 끝났습니다. 다시 구입하세요"
    case .noFamily(let id): "‘\(id)’ 계정은 가족에 속해 있지 않습니다. 먼저 가족으로 묶으세요"
    case .notTheirs(let what, let account):
      "\(Self.korean(what)): ‘\(account)’ 계정의 것이 아닙니다. 계정을 빼거나 그 계정의 것을 지정하세요"
    case .nothingBought(let subject): "‘\(subject)’에 해당하는 구입이 없습니다"
    case .nothingWaits: "승인을 기다리는 것이 없습니다. 구입할 때 승인을 요청하게 한 뒤 구입하세요"
    case .wrongWord(let verb, let what, let subject):
      "\(verb) 명령에 쓸 값: \(Self.korean(what)). 지정한 값: ‘\(subject)’"
    case .wrongPrice: "가격은 4.99 같은 십진수입니다"
    case .wrongQuantity(let count):
      "수량은 1에서 \(Limits.quantity)까지입니다. 지정한 값: \(count). 여러 번 나누어 구입하세요"
    case .wrongPart(let part):
      "환불하는 비율은 1에서 100000밀리단위까지입니다. 지정한 값: \(part). 100 이하의 백분율을 지정하세요"
    case .wrongDate(let date):
      "\(date) 시각은 1970년과 지금 사이가 아니며, 미리 구입할 수는 없습니다. 더 이른 시각을 지정하거나 빼세요"
    case .renews(let id): "‘\(id)’ 상품은 구입한 때, 곧 지금부터 갱신됩니다. 시각을 빼세요"
    case .tooLong: "이름이 비어 있거나 \(Limits.textBytes)바이트보다 깁니다. 더 짧은 이름을 고르세요"
    case .tooFar: "그동안 일어날 일이 \(Limits.sandboxDeadlines)건보다 많습니다. 더 조금 진행하세요"
    case .full(let what): "스토어에 담을 수 있는 한도에 이르렀습니다(\(Self.korean(what))). 다른 디렉터리에서 새로 시작하세요"
    }
  }

  /// What the model calls things.
  private static func korean(_ what: String) -> String {
    let words = [
      ("transactions", "거래"), ("purchases to approve", "승인할 구입"), ("accounts", "계정"), ("products", "상품"),
      ("transaction ", "거래 번호 "), ("purchase number ", "구입 번호 "),
      ("the number of a purchase that waits", "승인을 기다리는 구입의 번호"), (" or ", ", "),
    ]
    return words.reduce(what) { $0.replacing($1.0, with: $1.1) }
  }
}

extension SandboxOffer.Customer {
  fileprivate var korean: String {
    switch self {
    case .new: "새 구독자"
    case .existing: "현재 구독자"
    case .expired: "이전 구독자"
    }
  }
}
