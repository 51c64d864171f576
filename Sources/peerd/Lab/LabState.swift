import PeerSync

/// All that the laboratory's page shows, at one instant.
struct LabState: Encodable, Sendable {
  /// What is being done; nil: nothing.
  var busy: String?
  /// Why the last step was not done.
  var problem: String?
  /// What has been done, one line of a story each.
  var story: [String] = []
  /// The products that the story states.
  var products: [Item] = []
  /// What was bought in the store, by the names that the story gives it.
  var purchases: [Purchase] = []
  var devices: [Device] = []
  var links: [Link] = []

  /// A product to buy.
  struct Item: Encodable, Sendable {
    let id: String
    let type: String?
    let line: String?
    let credit: String?
    let period: String?
  }

  /// Something bought.
  struct Purchase: Encodable, Sendable {
    let name: String
    let product: String
    /// Who bought it.
    let device: String
  }

  /// A device as the page shows it.
  struct Device: Encodable, Sendable {
    let name: String
    let isRunning: Bool
    /// By how many milliseconds its clock is off.
    let clockOffset: Int64
    /// Whether a copy of its directory waits to be put back.
    let hasBackup: Bool
    /// What it says of itself; nil until it has said something since it was started.
    var status: StatusAnswer?
    /// What it warns of, but for the clock that the laboratory has set.
    var warnings: [String] = []
  }

  /// A link between two devices.
  struct Link: Encodable, Sendable {
    let left: String
    let right: String
    let isCut: Bool
  }
}
