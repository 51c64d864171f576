// What is wrong with products, for people.
extension Catalogue {
  /// ``misfit``, in every language.
  var misfitTold: Phrase? { firstMisfit.map(Catalogue.misfitTold) }

  /// ``misfit(_:)``, in every language.
  static func misfitTold(_ id: String) -> Phrase {
    Phrase(
      misfit(id),
      "‘\(id.prefix(64))’ 상품이 한도를 벗어났습니다. 텍스트의 길이, 권한, 수량, 등급, 항목의 개수를 확인하세요")
  }

  /// ``gaps``, in every language.
  package var gapsTold: [Phrase] { lacks.map(\.told) }
}

extension ProductLack {
  /// ``description``, in every language.
  package var told: Phrase {
    let date = from.map { "\($0)" } ?? ""
    let place = "‘\(product)’ 상품" + (date.isEmpty ? "" : "(\(date)부터)")
    return switch kind {
    case .before:
      Phrase(
        description,
        "‘\(product)’ 상품이 \(date) 전에 무엇이었는지 적은 파일이 없어, 그 전의 구입은 아무것도 제공하지 않습니다")
    case .type: Phrase(description, "\(place): 종류를 적은 파일이 없어 아무것도 제공하지 않습니다")
    case .line: Phrase(description, "\(place): 이용 기간과 길이를 적은 파일이 없어 아무것도 제공하지 않습니다")
    case .credit: Phrase(description, "\(place): 어떤 크레딧을 사는지 적은 파일이 없어 아무것도 제공하지 않습니다")
    }
  }
}
