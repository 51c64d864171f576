import Foundation
import PeerSync
import Testing

/// `peerd catalogue add`: products for a device that is there.
@Suite("peerd catalogue", .paced, .noHang)
struct CatalogueTests {
  private func file(_ name: String, _ content: String, in home: TemporaryDirectory) throws -> String {
    let path = home.path + "/" + name
    try content.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test("F57: what it states counts on every device, whatever another one has written")
  func add() async throws {
    let home = try TemporaryDirectory()
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    let good = try file(
      "good.json",
      #"{"products": [{"id": "CarefreeOwl", "type": "nonConsumable", "entitlements": ["owl"]}]}"#, in: home)
    // The greatest version there is, and another type.
    let bad = try file(
      "bad.json",
      #"{"version": 9, "products": [{"id": "CarefreeOwl", "type": "consumable", "credit": "x"}]}"#, in: home)
    let _: CatalogueAnswer = try await tablet.json("catalogue", "add", bad)
    let odd = try await phone.wait(for: "the warning") { status in
      status.warnings.contains {
        $0.contains("Tablet gave the product 'CarefreeOwl' another type than Phone")
      }
    }
    #expect(odd.warnings.contains { $0.contains("write the product into the catalogue again") })
    let answer: CatalogueAnswer = try await phone.json("catalogue", "add", good)
    #expect(answer.written == 1 && answer.warnings.isEmpty)
    let text = try await phone.run("catalogue", "add", good)
    #expect(text.status == 0 && text.output == "written: 0 of 1 products\n")
    try await group.agree()
    let products: ProductsAnswer = try await tablet.json("products")
    #expect(products.products.first { $0.id == "CarefreeOwl" }?.type == "nonConsumable")
    for device in group.devices {
      #expect(try await !device.status().warnings.contains { $0.contains("gave the product") })
    }
    let beyond = try file("beyond.json", #"{"version": 2147483649, "products": []}"#, in: home)
    let refused = try await Peerd.run(["init", "--data", home.path + "/new", "--catalog", beyond])
    #expect(
      refused.status != 0 && refused.errors.contains("is not a whole number from 0 to 2147483648"),
      "\(refused.errors)")
    #expect(try await phone.run("catalogue", "drop", good).status == 2)
    let missing = try await Peerd.run(["catalogue", "add", "--data", phone.data, home.path + "/none.json"])
    #expect(missing.status == 1 && missing.errors.contains("cannot be read"))
  }
}
