import PeerSyncCore
import PeerSyncSandbox
import Testing

@Suite("What the sandbox store refuses") struct SandboxRefusalTests {
  @Test("what is refused calls a product as people do, and by its id")
  func productNames() throws {
    #expect(SandboxProduct(id: "a.b", name: "a.b", type: .consumable).called == "a.b")
    let named = SandboxProduct(id: "com.example.owl", name: "Owl", type: .nonConsumable, price: 1000)
    var fixture = try SandboxFixture(at: "2026-01-01")
    try fixture.store.stock([named])
    try fixture.handle(.withdraw(product: named.id, isWithdrawn: true))
    let refusal = fixture.refusal(.buy(SandboxFixture.order(named.id)))
    #expect(refusal?.description == "'Owl (com.example.owl)' was withdrawn from sale; offer it again")
  }
}
