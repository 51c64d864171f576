import PeerSync
import PeerSyncSandbox
import PeerSyncSandboxServer
import PeerSyncSimulation

/// A catalogue file as lines of a story, so that a recording holds what it was made with.
struct LabCatalogue {
  /// `product` and `offer` lines.
  let lines: [String]
  /// One sentence for each thing that no line can say.
  let warnings: [Phrase]

  /// What the laboratory sells unless told otherwise.
  static let builtIn = [
    "catalogue insomniowl",
    "product pro.monthly autoRenewableSubscription period P1M entitlements pro group pro",
    "product pro.yearly autoRenewableSubscription period P1Y entitlements pro group pro",
  ]

  /// Reads catalogue files; later ones add to earlier ones.
  ///
  /// - Throws: ``CatalogueError`` for what is no catalogue, `Failure` for names that a line of a story cannot hold
  init(_ files: [(name: String, content: [UInt8])]) throws {
    var read: [CatalogueFile] = []
    for file in files { read.append(try CatalogueFile(file.content, name: file.name)) }
    let merged = CatalogueFile.merging(read)
    let sold = try SandboxCatalogue(files)
    var (lines, offers, warnings) = ([String](), [String](), merged.told)
    for product in merged.catalogue.products {
      guard let type = product.type else {
        warnings.append(
          Phrase("\(product.id): of no type, and left out", "‘\(product.id)’ 상품은 종류가 없어 뺐습니다"))
        continue
      }
      lines.append(try LabCatalogue.line(product, type))
    }
    for product in sold.products {
      for offer in product.offers { offers.append(try LabCatalogue.line(offer, of: product.id)) }
    }
    guard !lines.isEmpty else {
      throw Failure(
        Phrase(
          "the catalogue has no product of a type: add one to --catalog",
          "카탈로그에 종류가 있는 상품이 없습니다. --catalog 파일에 추가하세요"))
    }
    (self.lines, self.warnings) = (lines + offers, warnings)
    // What a line cannot say is better told now than when the devices have been started.
    do throws(ScenarioError) { _ = try Scenario(self.lines.joined(separator: "\n"), file: "--catalog") } catch
    {
      throw Failure(.same(error.description))
    }
  }

  private static func line(_ product: Product, _ type: ProductType) throws -> String {
    var words = ["product", try word(product.id), type.rawValue]
    if let line = product.line { words += ["line", try word(line)] }
    if let period = product.period { words += ["period", period.description] }
    if let names = product.entitlements, !names.isEmpty {
      guard !names.contains(where: { $0.contains(",") }) else {
        throw Failure(
          Phrase(
            "an entitlement of \(product.id) has a comma, which no line of a story can hold: rename it",
            "‘\(product.id)’ 상품의 권한에 쉼표가 있어 스토리의 한 줄에 쓸 수 없습니다. 이름을 바꾸세요"))
      }
      words += ["entitlements", try word(names.joined(separator: ","))]
    }
    if let credit = product.credit { words += ["credit", try word(credit)] }
    if let amount = product.amount, amount > 0 { words += ["amount", "\(amount)"] }
    if let level = product.level { words += ["level", "\(level)"] }
    if let group = product.subscriptionGroup { words += ["group", try word(group)] }
    if let price = product.price { words += ["price", price] }
    if let from = product.from { words += ["from", from.short] }
    return try checked(words)
  }

  private static func line(_ offer: SandboxOffer, of product: String) throws -> String {
    var words = ["offer", offer.kind.rawValue, "of", try word(product)]
    if let id = offer.id { words += ["as", try word(id)] }
    words += [offer.mode.rawValue, "periods", "\(offer.periods)", "of", offer.period.description]
    if offer.mode != .freeTrial { words += ["price", Price.text(offer.price)] }
    if offer.kind == .code {
      words += ["for", offer.customers.map(\.rawValue).joined(separator: ",")]
    }
    if let wait = offer.wait { words += ["after", wait.description] }
    return try checked(words)
  }

  /// A name that can be a word of a story.
  private static func word(_ name: String) throws -> String {
    guard !name.isEmpty, !name.contains(where: { $0.isWhitespace || $0 == "#" }) else {
      throw Failure(
        Phrase(
          "`\(name)` has a space or a #, which no line of a story can hold: rename it in the catalogue",
          "‘\(name)’ 이름에 공백이나 #이 있어 스토리의 한 줄에 쓸 수 없습니다. 카탈로그에서 이름을 바꾸세요"))
    }
    return name
  }

  private static func checked(_ words: [String]) throws -> String {
    let line = words.joined(separator: " ")
    guard line.utf8.count <= Laboratory.lineBytes else {
      throw Failure(
        Phrase(
          "\(words[1]) needs a line of more than \(Laboratory.lineBytes) bytes: shorten its names",
          "‘\(words[1])’ 상품은 한 줄에 \(Laboratory.lineBytes)바이트가 넘게 필요합니다. 이름을 줄이세요"))
    }
    return line
  }
}
