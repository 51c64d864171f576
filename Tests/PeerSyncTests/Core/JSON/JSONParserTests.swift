import PeerSyncCore
import Testing

@Suite struct JSONParserTests {
  private func object(_ names: [String]) -> [UInt8] {
    Array(("{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}").utf8)
  }

  private func fault(of names: [String], strictly: Bool = true) -> JSONError.Fault? {
    do throws(JSONError) {
      _ = try JSONParser.parse(object(names), strictly: strictly)
      return nil
    } catch { return error.fault }
  }

  /// However many members there are: few are compared with each other, many are looked up.
  @Test(arguments: [1, 2, 3, 31, 32, 33, 34, 200]) func aNameThatStandsTwiceIsRefused(count: Int) {
    let names = (0..<count).map { "name \($0)" }
    #expect(fault(of: names) == nil)
    for name in [names[0], names[count / 2], names[count - 1]] {
      #expect(fault(of: names + [name]) == .twice(name))
      #expect(fault(of: [name] + names) == .twice(name))
      #expect(fault(of: names + [name], strictly: false) == nil)
    }
  }

  /// Names are compared by their bytes: what only looks alike is another one.
  @Test func whatLooksAlikeIsAnotherName() {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
    #expect(composed == decomposed)
    #expect(fault(of: [composed, decomposed]) == nil)
    #expect(Name(composed) != Name(decomposed) && Name(composed) == Name("caf\u{e9}"))
    #expect(fault(of: [composed, decomposed, "x", composed]) == .twice(composed))
  }
}
