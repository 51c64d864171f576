import PeerSync

/// A catalogue file: refused with a reason, or read; its products fit into registers or are told apart as too large.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  do {
    let file = try CatalogueFile(input(data, size), name: "file")
    check(file.catalogue.products.count <= Limits.products, "more products than the limit")
    for product in file.catalogue.products {
      let key = RegisterKey.product(id: product.id).encoded
      check(
        (try? Fact(key: key[...], value: product.encoded[...])) == .product(product),
        "a product is not read back")
    }
  } catch { check(!error.problem.isEmpty, "a refusal without a reason") }
  return 0
}
