import PeerSync
import PeerSyncControl
import PeerSyncSandboxServer

/// `peerd products`: lists the catalogue.
enum ProductsCommand {
  static func run(_ client: ControlClient, directory: String, _ console: Console) async throws {
    let answer: ProductsAnswer = try await client.send("GET", "/v1/products")
    guard !console.json else { return try console.print(answer) { "" } }
    let status: StatusAnswer = try await client.send("GET", "/v1/status")
    let sold = await sold(to: directory)
    try console.print(answer) {
      ProductsText(products: answer.products, sold: sold, status: status, console: console).text
    }
  }

  /// Seconds that a store has for its answer: without it the table says less, and that is all.
  private static let patience = 3.0

  /// What the sandbox store sells that the device was told to use; nothing where there is none, or it does not answer.
  private static func sold(to directory: String) async -> [SandboxProductAnswer] {
    guard let server = try? SettingsFile(directory).options().store,
      let answer = try? await server.send("GET", "/device/v1/products", body: nil, timeoutSeconds: patience),
      let list = try? JSON.decode(SandboxProductsAnswer.self, from: answer.body)
    else { return [] }
    return list.products
  }
}

/// The catalogue, for people.
private struct ProductsText {
  let products: [ProductAnswer]
  /// What the store has of them.
  let sold: [SandboxProductAnswer]
  let status: StatusAnswer
  let console: Console

  var text: String {
    guard !products.isEmpty else { return console.words(.noProducts) + "\n" }
    // A buyer needs to know what it is, whether it is theirs, and until when it would last: what it costs and gives goes before that.
    var table = console.table(
      .whole(.product), .name(.name, .wanted), .whole(.price, .useful), .name(.gives, .useful),
      .whole(.action), .text(.offers, .extra), .whole(.expiresIfBought, .wanted))
    for product in products {
      table.add([
        product.id, product.displayName ?? "–", price(product), gives(product), action(product),
        offers(product), console.date(product.expiresIfBought),
      ])
    }
    let isLacking = products.contains { $0.lack(called: $0.id) != nil }
    return table.text + (isLacking ? console.words(.statedLater) + "\n" : "") + entries
  }

  /// The products that count differently by when they were bought.
  private var entries: String {
    var table = console.table(.whole(.product), .whole(.countsFrom), .name(.gives, .useful))
    for product in products {
      for entry in product.entries {
        let date = entry.from.map { console.date($0) } ?? console.words(.always)
        table.add([product.id, date, gives(entry)])
      }
    }
    return console.section(.entriesTitle, table, isEmpty: products.allSatisfy(\.entries.isEmpty))
  }

  private func price(_ product: ProductAnswer) -> String {
    [product.price, product.price == nil ? nil : product.currency].compactMap(\.self).joined(separator: " ")
  }

  private func action(_ product: ProductAnswer) -> String {
    let holds = status.subscriptions.contains { subscription in
      subscription.productId == product.id
        && ["subscribed", "inGracePeriod", "inBillingRetry"].contains(subscription.state)
    }
    guard !holds else { return console.style.good(console.words(.subscribed)) }
    guard sold.first(where: { $0.id == product.id })?.forSale ?? true else {
      return console.style.bad(console.words(.withdrawn))
    }
    return switch product.action {
    case "renew": console.style.good(console.words(.renew))
    case "owned": console.style.faint(console.words(.owned))
    default: console.words(.buy)
    }
  }

  /// At what other prices the store sells it.
  private func offers(_ product: ProductAnswer) -> String {
    let offers = sold.first { $0.id == product.id }?.offers ?? []
    return offers.isEmpty
      ? "–" : offers.map { $0.id ?? console.words(.kind(ofOffer: $0.kind)) }.joined(separator: ", ")
  }

  private func gives(_ product: ProductAnswer) -> String {
    guard product.lack(called: product.id) == nil else { return console.words(.nothingYet) }
    return gives(
      ProductAnswer.Entry(
        from: nil, type: product.type, line: product.line, period: product.period, credit: product.credit,
        amount: product.amount, entitlements: product.entitlements))
  }

  private func gives(_ product: ProductAnswer.Entry) -> String {
    let cover = product.line.map { console.words(.span(period(product) ?? "?", of: $0)) }
    let credit = product.credit.map { "\(product.amount ?? 1) \($0)" }
    let plan = product.line == nil ? period(product).map { console.words(.each($0)) } : nil
    let parts = [cover, credit, plan].compactMap(\.self)
    return (parts.isEmpty ? product.entitlements : parts).joined(separator: ", ")
  }

  private func period(_ product: ProductAnswer.Entry) -> String? {
    product.period.map { console.words(.period($0)) }
  }
}
