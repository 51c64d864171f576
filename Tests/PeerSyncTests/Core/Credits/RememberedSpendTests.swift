import PeerSyncCore
import Testing

/// Which of the spends that a life remembers answer for their ids.
@Suite struct RememberedSpendTests {
  private let phone = CreditStateTests.replica(0)
  private let tablet = CreditStateTests.replica(1)

  private func spend(_ id: String, _ amount: Int64 = 1) -> CreditSpend { CreditSpend(id: id, amount: amount) }

  @Test("F58: a spend answers as far as its life has paid for it") func whatWasNotPaidForAnswersNobody() {
    var state = CreditState()
    state.count(CreditStateTests.bought(100, of: 100), at: CreditHolder(phone), sign: 1)
    for number in 1...20 {
      state.apply(.spend(by: tablet, slot: UInt16(number), spend("order-\(number)")), total: UInt64(number))
    }
    // More than it had spent with it.
    let liar = CreditStateTests.replica(2)
    state.apply(.spent(by: liar), total: 6)
    state.apply(.spend(by: liar, slot: 30, spend("order-30", 7)), total: 6)
    #expect((1...30).allSatisfy { state.spend("order-\($0)") == nil })
    // Who pays for it has spent it, and so has who has paid for an id that others only remember.
    state.apply(.spent(by: phone), total: 1)
    state.apply(.spend(by: phone, slot: 0, spend("order-3")), total: 1)
    #expect(state.spend("order-3") == spend("order-3") && state.spend("order-2") == nil)
    state.apply(.spent(by: tablet), total: 2)
    #expect(state.spend("order-2") == spend("order-2") && state.spend("order-4") == nil)
    #expect(state.spend("order-30") == nil && state.rights(of: CreditHolder(tablet)) == -2)
    state.apply(.spent(by: tablet), total: 20)
    #expect(state.spend("order-20") != nil && state.spend("order-30") == nil)
  }

  @Test("F58: what was paid once answers for one spend") func whatIsSaidTwiceAnswersNobody() {
    var state = CreditState()
    state.apply(.spent(by: tablet), total: 100)
    let spends: [(String, Int64, UInt64)] = [
      ("apart", 3, 3), ("wide", 10, 20), ("within", 1, 15), ("edge", 1, 21), ("early", 1, 11),
      ("same", 2, 40),
      ("again", 2, 40), ("last", 60, 100), ("beyond", 5, 105),
    ]
    for (slot, (id, amount, total)) in spends.enumerated() {
      state.apply(.spend(by: tablet, slot: UInt16(slot), spend(id, amount)), total: total)
    }
    #expect(spends.map(\.0).filter { state.spend($0) != nil } == ["apart", "edge", "last"])
    // Another life is not blamed for it.
    state.apply(.spent(by: phone), total: 2)
    state.apply(.spend(by: phone, slot: 0, spend("same", 2)), total: 2)
    #expect(state.spend("same") == spend("same", 2))
  }

  /// Whether others remember a spend under its id as well or not: the two are found in different ways.
  @Test("F58: what was paid once answers for one spend, against the plain way", arguments: 0..<200)
  func whatIsApart(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var state = CreditState()
    let paid = Int64.random(in: 0...60, using: &random)
    if paid > 0 { state.apply(.spent(by: tablet), total: UInt64(paid)) }
    let spends = (0..<12).map { slot -> (id: String, before: Int64, total: Int64) in
      let total = Int64.random(in: 1...60, using: &random)
      return ("order-\(slot)", total - Int64.random(in: 1...9, using: &random), total)
    }
    for (slot, (id, before, total)) in spends.enumerated() {
      state.apply(.spend(by: tablet, slot: UInt16(slot), spend(id, total - before)), total: UInt64(total))
    }
    let expected = spends.indices.filter { place in
      let (_, before, total) = spends[place]
      return before >= 0 && total <= paid
        && spends.indices.allSatisfy {
          $0 == place || spends[$0].total <= before || total <= spends[$0].before
        }
    }
    #expect(spends.indices.filter { state.spend(spends[$0].id) != nil } == expected)
    for (slot, (id, _, _)) in spends.enumerated() {
      state.apply(.spend(by: phone, slot: UInt16(slot), spend(id)), total: UInt64(slot + 1))
    }
    #expect(spends.indices.filter { state.spend(spends[$0].id) != nil } == expected)
  }

  /// Its number is void, and others name it: it has paid for it with what it held, and no more.
  @Test("F58: void numbers pay with what is there") func voidNumbersPay() {
    for held in [0, 4, 9] as [Int64] {
      var state = CreditState()
      state.count(CreditStateTests.bought(held, of: held), at: CreditHolder(tablet), sign: 1)
      for number in 1...6 {
        state.apply(.spend(by: tablet, slot: UInt16(number), spend("s\(number)")), total: UInt64(number))
      }
      #expect(state.spend("s1") == nil)
      state.apply(.spentInAll(tablet, by: phone), total: 6)
      #expect((1...6).filter { state.spend("s\($0)") != nil }.count == min(held, 6))
      #expect(state.rights(of: CreditHolder(tablet)) == max(held - 6, 0))
    }
  }

  @Test("F66: what a later life pays for answers") func spendsOfACutLifeAnswer() {
    var state = CreditState()
    state.apply(.spend(by: phone, slot: 0, spend("one", 2)), total: 2)
    #expect(state.spend("one") == nil)
    state.apply(.spentAgain(phone, spend("two", 3), by: tablet), total: 5)
    #expect(state.spend("one") == spend("one", 2) && state.spend("two") == spend("two", 3))
    #expect(state.rights(of: CreditHolder(tablet)) == -5)
  }
}
