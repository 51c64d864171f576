import PeerSync

// A laboratory to try things in.
extension Grammar {
  static let lab = CommandSpec(
    name: "lab",
    summary: Phrase(
      "try everything on one page: devices, a store, and the links between them",
      "기기와 스토어, 그 사이의 링크를 한 페이지에서 시험"),
    details: Phrase(
      """
      Starts devices and a sandbox store on this machine, as real processes, and prints the address of a page that shows all of
      them side by side: buy, refund and spend on each, cut links, kill and start devices, let time pass, and save what was done as
      a story for peerd rehearse. Device and store know the products of --catalog, else those of a small app.
      Everything is gone when it is stopped; with --data it stays, and goes on when it is started there again. Its time stands still
      meanwhile.
      """,
      """
      이 컴퓨터에서 기기와 샌드박스 스토어를 실제 프로세스로 시작하고, 모두를 나란히 보여 주는 페이지의 주소를 출력합니다. 기기마다
      구입하고 환불하고 크레딧을 쓰고, 링크를 끊고, 기기를 죽이거나 시작하고, 시간을 진행하고, 한 일을 `peerd
      rehearse` 명령에 쓸 스토리로 저장할 수 있습니다. 기기와 스토어는 --catalog 파일의 상품을, 없으면 작은 앱의
      상품을 씁니다. 멈추면 모두 사라집니다. --data 옵션을 쓰면 남고, 거기에서 다시 시작하면 이어집니다. 그동안 시간은 멈춰
      있습니다.
      """),
    options: [.labData, .labDevices, .catalog, .http, .open],
    examples: [
      "peerd lab --open", "peerd lab --devices Phone,Tablet,Mac,Watch",
      "peerd lab --catalog Products.storekit", "peerd lab --data lab --open",
    ], hasData: false,
    build: { values throws(UsageError) in
      let names = values.text(.labDevices).map { $0.split(separator: ",").map(String.init) }
      let devices = names ?? ["Phone", "Tablet", "Mac"]
      let isRight = devices.allSatisfy { name in
        !name.isEmpty && name.utf8.count <= 32 && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
      }
      guard isRight, Set(devices).count == devices.count,
        (1...LabOptions.devicesLimit).contains(devices.count)
      else {
        throw values.error(
          Phrase(
            "--devices is 1 to \(LabOptions.devicesLimit) different names divided by commas, of letters, digits and hyphens, such as "
              + "Phone,Tablet",
            "--devices 값은 Phone,Tablet처럼 쉼표로 나눈 서로 다른 이름 1~\(LabOptions.devicesLimit)개입니다. 이름에는 글자와 숫자, 붙임표만 쓸 수 "
              + "있습니다"))
      }
      return .lab(
        LabOptions(
          devices: devices, namesDevices: names != nil, data: values.text(.labData),
          catalogues: values.texts(.catalog), http: try values.loopback(.http),
          opens: values.isSet(.open)))
    })
}
