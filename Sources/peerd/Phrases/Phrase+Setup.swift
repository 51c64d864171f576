import PeerSync

// What commands that set a device up say.
extension Phrase {
  static let nextStart = Phrase(
    "It counts from the next start of the daemon on.", "데몬을 다음에 시작할 때부터 적용됩니다.")

  static func made(_ name: String, in directory: String) -> Phrase {
    Phrase("Made the device \(name) in \(directory).", "\(directory)에 \(name) 기기를 만들었습니다.")
  }

  static func facts(_ id: String, _ environment: String, _ app: String, _ products: Int) -> Phrase {
    Phrase(
      "  id           \(id)\n  environment  \(environment)\n  app          \(app)\n  products     \(products)\n",
      "  ID    \(id)\n  환경  \(environment)\n  앱    \(app)\n  상품  \(products)\n")
  }

  static func showsRecoveryKey(_ key: String) -> Phrase { Phrase("Recovery key: \(key)", "복구 키: \(key)") }

  static let writeItDown = Phrase(
    "Write it down: it is shown once and kept nowhere. It outranks this device and those that come in below it, and no "
      + "other. With it each of these can be removed, even when it is stolen, from any other device of the group:",
    "적어 두세요. 한 번만 보여 주고 어디에도 저장하지 않습니다. 이 키는 이 기기와 그 아래로 들어온 기기에만 우선합니다. "
      + "도난당한 기기라도 그룹의 다른 어느 기기에서나 이 키로 제거할 수 있습니다.")

  static func startWith(_ directory: String) -> Phrase {
    Phrase("Start it with: peerd run --data \(directory)", "시작하려면: peerd run --data \(directory)")
  }

  static let ready = Phrase("ready", "준비됨")

  static func serves(_ listen: String?, http: String, environment: String) -> Phrase {
    Phrase(
      "\(listen.map { "listening for peers on \($0)" } ?? "not listening for peers"), control API on \(http), environment \(environment)",
      "\(listen.map { "\($0)에서 다른 기기의 연결을 받음" } ?? "다른 기기의 연결을 받지 않음"), 제어 API \(http), 환경 \(environment)")
  }

  static func storeIsAt(_ url: String, products: Int) -> Phrase {
    Phrase(
      ": the store is at \(url), and sells \(products) products", ": 스토어 주소 \(url), 파는 상품 \(products)개")
  }

  /// How devices and servers use a store.
  static func storeServes(
    _ url: String, key: String, _ keyId: String, issuer: String, root: String
  ) -> Phrase {
    Phrase(
      """
      devices     peerd run --data DIR --store \(url)
      servers     key \(key), key id \(keyId), issuer id \(issuer)
      signatures  root certificate \(root)
      """,
      """
      기기    peerd run --data DIR --store \(url)
      서버    키 \(key), 키 ID \(keyId), 발급자 ID \(issuer)
      서명    루트 인증서 \(root)
      """)
  }

  static func labIsAt(_ url: String) -> Phrase { Phrase(": open \(url)", ": 다음 주소를 여세요\n\(url)") }
  static func labStays(in directory: String) -> Phrase {
    Phrase(
      "The address holds a secret: whoever has it may do everything here. Stop with Ctrl-C; the laboratory stays in \(directory).",
      "주소에 비밀이 들어 있어, 아는 사람은 여기서 무엇이든 할 수 있습니다. Ctrl-C 키로 멈춰도 실험실은 \(directory)에 남습니다.")
  }
  static let labGoes = Phrase(
    "The address holds a secret: whoever has it may do everything here. Stop with Ctrl-C; nothing is left then.",
    "주소에 비밀이 들어 있어, 아는 사람은 여기서 무엇이든 할 수 있습니다. Ctrl-C 키로 멈추면 아무것도 남지 않습니다.")
}
