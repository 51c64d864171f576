import PeerSync
import PeerSyncSimulation

/// What was given to one command, still as text, with readers that refuse wrong values.
package struct Values {
  private let spec: CommandSpec
  private var options: [String: [String]] = [:]
  private var operands: [String] = []

  init(spec: CommandSpec) { self.spec = spec }

  /// Sorts the words after the command into options and operands.
  mutating func read(_ words: ArraySlice<String>) throws(UsageError) {
    var rest = words
    var onlyOperands = false
    while let word = rest.popFirst() {
      if onlyOperands || !word.hasPrefix("-") || word == "-" {
        operands.append(word)
      } else if word == "--" {
        onlyOperands = true
      } else {
        try readOption(word, &rest)
      }
    }
    guard !isSet(.help) else { return }
    try checkOperands()
  }

  private mutating func readOption(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let option = try known(word == "-h" ? "--help" : String(parts[0]))
    let attached = parts.count > 1 ? String(parts[1]) : nil
    guard let unit = option.value else {
      guard attached == nil else { throw error(.takesNoValue(option.name)) }
      options[option.name] = [""]
      return
    }
    guard let value = attached ?? next(of: &rest) else {
      throw error(.needsValue(option.name, unit))
    }
    guard !value.isEmpty else { throw error(.mustNotBeEmpty("--\(option.name)")) }
    guard option.repeats || options[option.name] == nil else {
      throw error(.givenTwice(option.name))
    }
    options[option.name, default: []].append(value)
  }

  /// The next word as a value. One that looks like an option was probably not meant as one; `--option=` takes it.
  private func next(of rest: inout ArraySlice<String>) -> String? {
    guard let word = rest.first, !word.hasPrefix("--") else { return nil }
    return rest.popFirst()
  }

  private func known(_ name: String) throws(UsageError) -> OptionSpec {
    if let option = spec.allOptions.first(where: { "--" + $0.name == name }) { return option }
    let guess = Suggestion.nearest(to: name, in: spec.allOptions.map { "--" + $0.name })
    let unknown = Phrase.noOption(name)
    throw error(guess.map { unknown + Phrase.didYouMean(.same($0)) } ?? unknown)
  }

  private func checkOperands() throws(UsageError) {
    guard zip(spec.operands, operands).allSatisfy({ !$0.isFixed || $0.name == $1 }) else {
      throw error(.isWritten(([spec.name] + spec.operands.map(\.name)).joined(separator: " ")))
    }
    if let missing = spec.operands.dropFirst(operands.count).first(where: { !$0.isOptional }) {
      throw error(.isMissing(missing.name))
    }
    if let index = operands.indices.first(where: { operands[$0].isEmpty }), index < spec.operands.count {
      throw error(.mustNotBeEmpty(spec.operands[index].name))
    }
    if operands.count > spec.operands.count {
      throw error(.tooMany(operands[spec.operands.count]))
    }
  }

  func error(_ phrase: Phrase) -> UsageError { UsageError(phrase + .seeHelp(spec.name)) }
}

extension Values {
  func isSet(_ option: OptionSpec) -> Bool { options[option.name] != nil }

  func text(_ option: OptionSpec) -> String? { options[option.name]?.last }

  func texts(_ option: OptionSpec) -> [String] { options[option.name] ?? [] }

  func operand(_ index: Int) -> String? { index < operands.count ? operands[index] : nil }

  /// An operand that ``read(_:)`` has made sure of.
  func required(_ index: Int) -> String { operand(index) ?? "" }

  func integer(_ option: OptionSpec, in range: ClosedRange<Int>, default value: Int) throws(UsageError) -> Int
  {
    guard let text = text(option) else { return value }
    guard let number = Int(text), range.contains(number) else {
      throw error(
        Phrase(
          "--\(option.name) is a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text)'",
          "--\(option.name) 값은 \(range.lowerBound)에서 \(range.upperBound)까지의 정수입니다. 지정한 값: ‘\(text)’"))
    }
    return number
  }

  /// The time that a simulation takes: in hours or in minutes.
  func simulatedMinutes() throws(UsageError) -> Int {
    guard isSet(.minutes) else { return try integer(.hours, in: 1...8784, default: 24) * 60 }
    guard !isSet(.hours) else { throw error(.either("--hours", or: "--minutes")) }
    return try integer(.minutes, in: 1...527_040, default: 1)
  }

  /// How much is searched of a small world.
  func explorerBounds() throws(UsageError) -> Explorer.Bounds {
    var bounds = Explorer.Bounds()
    bounds.states = try integer(.exploredStates, in: 1...100_000_000, default: bounds.states)
    bounds.depth = try integer(.depth, in: 1...1_000, default: bounds.depth)
    bounds.spends = try integer(.spends, in: 0...10, default: bounds.spends)
    bounds.decisions = try integer(.decisions, in: 0...10, default: bounds.decisions)
    bounds.removals = try integer(.removals, in: 0...10, default: bounds.removals)
    bounds.crashes = try integer(.crashes, in: 0...10, default: bounds.crashes)
    return bounds
  }

  /// The rare faults of a simulation, each once, in one order; `all` is each of them.
  func rareFaults() throws(UsageError) -> [RareFault] {
    let names = text(.rareFaults)?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    if names == ["all"] { return RareFault.allCases }
    for name in names where RareFault(rawValue: String(name)) == nil {
      let known = RareFault.allCases.map(\.rawValue).joined(separator: ", ")
      throw error(
        Phrase(
          "--faults is all, or any of \(known), not '\(name)'",
          "--faults 값은 all이거나 다음 가운데 여럿입니다: \(known). 지정한 값: ‘\(name)’"))
    }
    return RareFault.allCases.filter { names.contains($0.rawValue[...]) }
  }

  func choice<Choice: RawRepresentable & CaseIterable>(
    _ option: OptionSpec, default value: Choice
  ) throws(UsageError) -> Choice where Choice.RawValue == String {
    guard let text = text(option) else { return value }
    guard let choice = Choice(rawValue: text) else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw error(.isOne(of: known, "--\(option.name)", not: text))
    }
    return choice
  }

  func time(_ option: OptionSpec) throws(UsageError) -> Instant? {
    guard let text = text(option) else { return nil }
    return try time(text, called: "--\(option.name)")
  }

  func time(_ text: String, called name: String) throws(UsageError) -> Instant {
    if let instant = Instant(text) { return instant }
    throw error(
      Phrase(
        "\(name) is a time such as 2026-01-31T00:00:00Z or a day such as 2026-01-31, not '\(text)'",
        "\(name) 값은 2026-01-31T00:00:00Z 같은 시각이나 2026-01-31 같은 날짜입니다. 지정한 값: ‘\(text)’"))
  }

  /// The time of something that a store signs.
  func signedTime(_ option: OptionSpec) throws(UsageError) -> Instant? {
    guard let date = try time(option) else { return nil }
    guard date.canBeSigned else {
      throw error(Instant.unsignedTold(.same("--\(option.name)"), date))
    }
    return date
  }

  /// What a device, or the app it is of, is called.
  func name(_ option: OptionSpec) throws(UsageError) -> String? {
    try text(option).map { text throws(UsageError) in try name(text, called: "--\(option.name)") }
  }

  func name(_ text: String, called place: String) throws(UsageError) -> String {
    guard let name = DeviceName(text) else {
      throw error(
        Phrase(
          "\(place) is 1 to \(Limits.textBytes) bytes without control or formatting characters",
          "\(place) 값은 제어 문자나 서식 문자 없이 1~\(Limits.textBytes)바이트입니다"))
    }
    return name.text
  }

  /// Addresses at which this program listens or calls: no name is looked up.
  func numericAddresses(_ option: OptionSpec) throws(UsageError) -> [Address] {
    let addresses = try addresses(option)
    for address in addresses {
      do throws(SocketError) { try Socket.requireNumeric(address) } catch {
        throw self.error(Phrase.same("--\(option.name): ") + error.told)
      }
    }
    return addresses
  }

  /// Addresses of others, by number or by name.
  func reachableAddresses(_ option: OptionSpec) throws(UsageError) -> [Address] {
    let addresses = try addresses(option)
    for address in addresses where (try? Socket.requireNumeric(address)) == nil {
      guard Resolver.isName(address.host) else {
        throw error(
          Phrase(
            "--\(option.name): '\(address.host)' is neither an IP address nor a host name",
            "--\(option.name): ‘\(address.host)’ 값은 IP 주소도 호스트 이름도 아닙니다"))
      }
    }
    return addresses
  }

  /// Where HTTP is served, on this machine alone.
  func loopback(_ option: OptionSpec) throws(UsageError) -> Address {
    guard let address = try addresses(option).last else { return Address(host: "127.0.0.1", port: 0) }
    guard (try? Socket.requireLoopback(address)) != nil else {
      throw error(
        Phrase(
          "--\(option.name) is on loopback only: 127.0.0.1, [::1] or localhost, not '\(address.host)'",
          "--\(option.name) 값은 루프백 주소인 127.0.0.1, [::1], localhost만 됩니다. 지정한 값: ‘\(address.host)’"))
    }
    return address
  }

  private func addresses(_ option: OptionSpec) throws(UsageError) -> [Address] {
    var result: [Address] = []
    for text in texts(option) {
      guard let address = Address(text) else {
        throw error(
          Phrase(
            "--\(option.name) is HOST:PORT, such as 127.0.0.1:7400, not '\(text)'",
            "--\(option.name) 값은 127.0.0.1:7400 같은 HOST:PORT입니다. 지정한 값: ‘\(text)’"))
      }
      result.append(address)
    }
    return result
  }
}
