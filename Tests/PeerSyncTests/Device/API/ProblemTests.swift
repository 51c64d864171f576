import PeerSync
import PeerSyncControl
import PeerSyncSandbox
import PeerSyncSandboxServer
import TestSupport
import Testing
import peerd

/// What people are told when something is refused, in their language.
@Suite("problems in every language")
struct ProblemTests {
  private func expectTold(_ phrase: Phrase, _ english: String? = nil) {
    let korean = phrase.text(in: .korean)
    #expect(korean.hasHangul && !korean.hasEnglishSentence, "\(korean)")
    #expect(!phrase.text(in: .english).hasHangul, "\(phrase)")
    if let english { #expect(phrase.text(in: .english) == english) }
  }

  @Test("a problem carries its detail in both languages")
  func detail() throws {
    let problem = Problem(.unknownDevice, Phrase("no device 'a'", "‘a’ 기기가 없습니다"))
    let read = try JSON.decode(Problem.self, from: JSON.encode(problem))
    #expect(read == problem && read.detailInKorean == "‘a’ 기기가 없습니다")
    #expect(read.told.text(in: .english) == "no device 'a'")
    #expect(read.told.text(in: .korean) == "‘a’ 기기가 없습니다")
    for code in Problem.Code.allCases { expectTold(Problem(code).told, code.title) }
  }

  @Test("of a problem of an earlier version Korean tells the title, and the detail as it came")
  func earlier() throws {
    func told(_ detail: String) throws -> String {
      let text =
        #"{"type": "about:blank", "title": "the device is offline", "status": 409, "detail": "\#(detail)", "code": "offline"}"#
      return try JSON.decode(Problem.self, from: Array(text.utf8)).told.text(in: .korean)
    }
    #expect(try told("the device is offline") == "이 기기는 오프라인입니다")
    #expect(try told("go online") == "이 기기는 오프라인입니다 (go online)")
  }

  @Test("why a device refuses is told in Korean as well")
  func refusals() {
    let time = Instant.epoch
    let purchases: [PurchaseRefusal] = [
      .realStore(.purchase), .realStore(.refund), .noOffers, .unknownProduct("a"), .wrongQuantity(0),
      .unknownTransaction("1"), .wrongClock(time), .wrongDate(time), .notSigned(nil), .notSigned(.unsigned),
    ]
    let refusals: [Refusal] =
      [
        .tooLarge, .misfit, .notName, .unfitProduct("a"), .tooManyProducts,
        .unknownLine("a", known: []),
        .unknownLine("a", known: ["b"]), .tooManyPurchases, .unknownGrant("a", known: []),
        .unknownGrant("a", known: ["b"]), .full, .tooFarAhead(time),
        .notListening, .noNetwork, .offline, .busy, .removed, .removedAlready, .notHeardOf, .notMet,
        .unknownDevice,
        .notPermitted, .noRoom, .cloned,
        .unreachable, .unknownCredit, .spentOtherwise(1), .mayNotAccept, .knewNothing(since: nil),
        .knewNothing(since: time), .notYet(time), .notComplete([]),
        .notCustodian(DeviceID(high: 1, low: 2)),
      ] + purchases.map { .purchase($0) } + CloseReason.allCases.map { .notAdmitted($0) }
    for refusal in refusals { expectTold(Problem(refusal).told, Problem(refusal).detail) }
  }

  @Test(
    "of a join that was refused a new invitation is told only where it helps, and what is said once is enough"
  )
  func remedies() throws {
    func remedy(_ reason: CloseReason) -> Phrase? { .remedy(Problem(.notAdmitted(reason))) }
    let told = CloseReason.allCases.filter { remedy($0)?.text(in: .english).contains("peerd invite") == true }
    #expect(told == [.wrongCode, .noInvitation])
    // The directory of the device that was removed is taken.
    #expect(
      remedy(.removed)?.text(in: .english).contains("another directory: `peerd init --data NEWDIR`") == true)
    let (closed, command) = (CloseReason.noInvitation, try #require(remedy(.noInvitation)))
    #expect(
      (closed.told + .same("; ") + command).text(in: .english)
        == "no invitation is open there (it may have been used, or be older than ten minutes): a new one is needed; "
        + "`peerd invite` there makes one")
    #expect(remedy(.notFirst) == nil && remedy(.version) == nil)
    // Nothing is wrong with the device that joins where the other one was removed.
    let host = Problem(.notAdmitted(.hostRemoved))
    #expect(
      host.code == .notAdmitted && host.detail.contains("inviting device was removed")
        && remedy(.hostRemoved) == nil)
    // Programs and the command line go by the reason, and not by the sentence.
    let problem = Problem(.notAdmitted, Phrase("no", "안 됩니다"), reason: .wrongCode)
    let read = try JSON.decode(Problem.self, from: JSON.encode(problem))
    #expect(read == problem && Phrase.remedy(read) != nil)
    #expect(Phrase.remedy(Problem(.notAdmitted, CloseReason.wrongCode.told)) == nil)
  }

  @Test("an unknown grant says which are known, a few of many")
  func grants() {
    func detail(_ known: [String]) -> String { Problem(.unknownGrant("a", known: known)).detail }
    #expect(detail([]) == "no grant of 'a' is known here")
    #expect(detail(["b", "c"]) == "no grant of 'a' is known here; granted: b, c")
    #expect(detail((1...9).map { "\($0)" }).hasSuffix("granted: 1, 2, 3, 4, 5, 6, 7, 8, …"))
  }

  @Test("a shortage says in Korean who holds the rest")
  func shortage() {
    let device = DeviceID(high: 1, low: 2)
    let others = [
      RightsHeld(holder: .earlierLife, rights: 1), RightsHeld(holder: .nobody, rights: 3),
      RightsHeld(holder: .member(device, name: "Phone", isConnected: false), rights: 2),
      RightsHeld(holder: .removed(device, name: "Mac"), rights: 2),
      RightsHeld(holder: .unknown, rights: 1), RightsHeld(holder: .itself, rights: 1),
    ]
    for held in others { expectTold(held.told, held.description) }
    let spending = Spending(credit: "owls", amount: 9, id: "a")
    expectTold(Problem(Shortage(balance: 9, available: 1, others: others), spending).told)
    let debt = Problem(Shortage(balance: -2, available: 0, others: []), spending)
    expectTold(debt.told)
    #expect(
      debt.detail
        == "this device can spend 0 of 'owls', not 9, and 2 are owed (more were spent than there are): buy more "
        + "first"
    )
  }

  @Test("why what a store has signed does not count is told in Korean as well")
  func rejections() {
    let rejections: [JWSRejection] = [
      .tooLong, .notThreeParts, .notBase64(.header), .notJSON(.payload, "line 1: x"), .wrongAlgorithm,
      .unknownExtension("a"), .wrongChainLength, .signedByXcode, .notCertificate(.leaf), .untrustedRoot,
      .missingMarker(.intermediate), .invalidPath("expired"), .leafIsAuthority, .wrongKey, .badSignature,
      .unknownKind, .otherKind, .missing("a"), .wrong("a"), .otherBundle, .otherEnvironment,
      .nested("a", .unsigned), .malformed, .unsigned, .contradictsRegister, .pending,
    ]
    for rejection in rejections { expectTold(rejection.told, rejection.description) }
  }

  @Test("what goes wrong with files, sockets and the daemon is told in Korean as well")
  func system() {
    let bad = StorageReason(Phrase("bad", "나쁨"))
    let storage: [StorageError] = [
      .missing(directory: "/a"), .outdated(directory: "/a"), .exists(directory: "/a"), .full(path: "/a"),
      .io(path: "/a", message: bad), .corrupt(path: "/a", message: bad),
      .malformed(path: "/a/b", message: bad), .unknown(path: "/a/b", message: bad),
      .foreign(path: "/a"), .newer(path: "/a", migration: "b"),
      .locked(path: "/a"), .inUse(directory: "/a", pid: 1), .inUse(directory: "/a", pid: nil),
      .lax(path: "/a", isDirectory: true), .denied(path: "/a", message: bad),
      .notCertificate(path: "/a", message: bad), .wrongKey(directory: "/a"), .noKey(path: "/a"),
      .wrongStore(directory: "/a", message: bad, hasRoot: true),
      .wrongStore(directory: "/a", message: bad, hasRoot: false),
      .lostStore(directory: "/a", missing: ["key.pem"]),
      .lostStore(directory: "/a", missing: ["leaf.pem", "root.pem"]),
      .notDirectory(path: "/a"), .notRunning(directory: "/a"), .failed(path: "/a", message: bad),
    ]
    for error in storage { expectTold(error.told, error.description) }
    let address = Address(host: "192.0.2.1", port: 1)
    let sockets: [SocketError] = [
      .notLoopback(address), .notNumeric(address), .addressInUse(address), .notPermitted(address),
      .notHere(address), .noDescriptors, .noWatches, .disconnected, .timedOut,
    ]
    for error in sockets { expectTold(error.told, error.description) }
    for error in [DaemonError.notReady, .stopped] { expectTold(error.told, error.description) }
    for error: ControlError in [
      .noDaemon(directory: "/a"), .noStore(directory: "/a"), .timedOut, .unreadable(.same("a")),
    ] { expectTold(error.told, error.description) }
  }

  @Test(
    "what is wrong with JSON is told in Korean as well",
    arguments: [
      "[1] 2", "[x]", "{a}", #"{"a" 1}"#, #"{"a": 1"#, "[1", #"{"a": 1, "a": 2}"#, "[1.", "[\"\u{1}\"]",
      #"["a"#, #"["\x"]"#, #"["\ud800"]"#, #"["\u12"]"#, String(repeating: "[", count: 70),
    ])
  func json(text: String) {
    do throws(JSONError) { _ = try JSONParser.parse(Array(text.utf8), strictly: true) } catch {
      return expectTold(error.told, "line 1: \(error.problem)")
    }
    Issue.record("\(text) is JSON")
  }

  @Test("what a product lacks is told in Korean as well")
  func gaps() {
    var dated = Product(id: "b")
    dated.from = .epoch
    let line = Product(id: "c", type: .nonRenewingSubscription)
    let catalogue = Catalogue(products: [dated, line, Product(id: "d", type: .consumable)])
    #expect(catalogue.gaps.count == 4)
    for (gap, told) in zip(catalogue.gaps, catalogue.gapsTold) { expectTold(told, gap) }
  }

  @Test("products that lack the same share a sentence, which names them")
  func gapsTogether() {
    var dated = Product(id: "p0")
    dated.from = .epoch
    let untyped = (1...9).map { Product(id: "p\($0)") }
    let credit = Product(id: "q", type: .consumable)
    let told = Catalogue(products: [dated, credit] + untyped).gapsToldTogether { "<\($0)>" }
    let english = told.map { $0.text(in: .english) }
    #expect(english.count == 3, "\(english)")
    #expect(
      english[1]
        == "no file says the type of <p0>, <p1>, <p2>, <p3>, <p4>, <p5>, <p6>, <p7> and 2 more, so that they grant nothing"
    )
    #expect(told.allSatisfy { $0.text(in: .korean).hasHangul })
    let lines = ["a", "b"].map { Product(id: $0, type: .nonRenewingSubscription) }
    for products in [lines, [lines[0]]] {
      #expect(Catalogue(products: products).gapsToldTogether { $0 }.count == 1)
    }
  }
}
