import PeerSync
import PeerSyncControl

/// `peerd products`: lists the catalogue.
enum ProductsCommand {
  static func run(_ client: ControlClient, _ console: Console) async throws {
    let answer: ProductsAnswer = try await client.send("GET", "/v1/products")
    try console.print(answer) { text(answer.products, console) }
  }

  private static func text(_ products: [ProductAnswer], _ console: Console) -> String {
    guard !products.isEmpty else { return "The catalogue is empty: peerd init takes one with --catalog.\n" }
    var table = console.table("PRODUCT", "PRICE", "ACTION", "GIVES", "EXPIRY WOULD BECOME")
    for product in products {
      table.add([
        product.id, price(product), action(product, console.style), gives(product),
        console.date(product.expiresIfBought),
      ])
    }
    return table.text
  }

  private static func price(_ product: ProductAnswer) -> String {
    [product.price, product.price == nil ? nil : product.currency].compactMap(\.self).joined(separator: " ")
  }

  private static func action(_ product: ProductAnswer, _ style: Style) -> String {
    switch product.action {
    case "renew": style.good("Renew")
    case "owned": style.faint("Owned")
    default: "Buy"
    }
  }

  private static func gives(_ product: ProductAnswer) -> String {
    let cover = product.line.map { "\(product.period ?? "?") of \($0)" }
    let credit = product.credit.map { "\(product.amount ?? 1) \($0)" }
    let parts = [cover, credit].compactMap(\.self)
    return (parts.isEmpty ? product.entitlements : parts).joined(separator: ", ")
  }
}
