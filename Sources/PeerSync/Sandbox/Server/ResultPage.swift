import PeerSync
import PeerSyncControl
import PeerSyncSandbox

/// One page of ``Limits/sandboxPageItems``. The revision is where the next one begins; as with Apple's, the last page's
/// finds later what is new.
package struct ResultPage<Item> {
  package let items: [Item]
  package let hasMore: Bool
  package let revision: String

  package init(of all: [Item], after revision: String?, wrong: ServerError = .invalidRequestRevision)
    throws(ServerError)
  {
    var start = 0
    if let revision {
      guard revision.hasPrefix("r"), let number = Int(revision.dropFirst()), number >= 0 else { throw wrong }
      start = min(number, all.count)
    }
    let end = min(start + Limits.sandboxPageItems, all.count)
    items = Array(all[start..<end])
    hasMore = end < all.count
    self.revision = "r\(end)"
  }
}
