import PeerSync

// A laboratory to try things in.
extension Grammar {
  static let lab = CommandSpec(
    name: "lab", summary: "try everything on one page: devices, a store, and the links between them",
    details: """
      Starts devices and a sandbox store on this machine, as real processes, and prints the address of a page that shows all of
      them side by side: buy, refund and spend on each, cut links, kill and start devices, let time pass, and save what was done as
      a story for peerd rehearse. Device and store know the products of --catalog, else those of a small app.
      Everything is gone when it is stopped; with --data it stays, and goes on when it is started there again. Its time stands still
      meanwhile.
      """,
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
