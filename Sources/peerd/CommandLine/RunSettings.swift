import PeerSync

/// What `peerd run` was told and goes on with: options by name, each with its values as they were typed.
package struct RunSettings: Hashable, Sendable {
  private var values: [String: [String]] = [:]

  /// The options that stay, in the order in which they are shown.
  package static let options: [OptionSpec] = [
    .listen, .lan, .discover, .interface, .peer, .store, .account, .logFormat, .logLevel,
  ]
  /// What stands for an option that is as if it had never been given.
  package static let none = "none"
  /// Longest value, in bytes.
  private static let valueBytes = 1024
  /// Most values of one option.
  private static let valueCount = 64

  package init() {}

  package var isEmpty: Bool { values.isEmpty }

  package static func option(named name: String) -> OptionSpec? { options.first { $0.name == name } }

  /// The values of an option; nil where it was not given.
  package subscript(option: OptionSpec) -> [String]? {
    get { values[option.name] }
    set { values[option.name] = newValue }
  }

  /// These, where others say nothing. An option that is turned off there is gone.
  package func overlaid(by others: RunSettings) -> RunSettings {
    var result = self
    for (name, texts) in others.values { result.values[name] = texts }
    result.values = result.values.filter { $0.value != [Self.none] }
    return result
  }

  /// The words of a command line that say the same.
  package var words: [String] {
    Self.options.flatMap { option in
      (values[option.name] ?? []).map { option.value == nil ? "--\(option.name)" : "--\(option.name)=\($0)" }
    }
  }
}

extension RunSettings {
  /// Reads the file of a device.
  ///
  /// - Throws: ``Failure`` that names the file, and what in it is wrong
  package init(_ bytes: [UInt8], file: String) throws(Failure) {
    guard let members = try? JSON.decode([String: [String]].self, from: bytes) else {
      throw Failure(
        wrongSettings: file,
        Phrase("it is not an object of lists of texts", "텍스트 목록의 객체가 아닙니다"))
    }
    for (name, texts) in members.sorted(by: { $0.key < $1.key }) {
      guard let option = Self.option(named: name) else {
        throw Failure(wrongSettings: file, .noSetting(name))
      }
      guard texts.count <= (option.repeats ? Self.valueCount : 1), !texts.isEmpty,
        texts.allSatisfy({ (1...Self.valueBytes).contains($0.utf8.count) })
      else {
        throw Failure(
          wrongSettings: file,
          Phrase(
            "'\(name)' has too many values, too long a one or none",
            "‘\(name)’ 설정에 값이 너무 많거나, 너무 길거나, 없습니다"))
      }
      values[name] = texts
    }
  }

  /// What the file of a device holds.
  package var encoded: [UInt8] { JSON.encode(values) + [0x0a] }

  /// What was given on a command line.
  init(_ given: borrowing Values) {
    for option in Self.options where given.isSet(option) {
      values[option.name] = option.value == nil ? ["yes"] : given.texts(option)
    }
  }
}

extension Failure {
  /// What a device keeps of what `run` was told is damaged: the command line has nothing to do with it.
  init(wrongSettings file: String, _ reason: Phrase) {
    self.init(
      Phrase("\(file) is damaged (", "\(file) 파일이 손상되었습니다(") + reason
        + Phrase(
          "): mend it, or remove it and tell `peerd run` again what it held",
          "). 고치거나, 지운 뒤 `peerd run` 명령에 옵션을 다시 지정하세요"))
  }
}
