/// Faults that a simulation has only when it is asked for them. After most of them not everything that was acknowledged has to
/// last.
package enum RareFault: String, Hashable, Sendable, CaseIterable {
  /// Devices are removed, by others and by recovery keys.
  case removals
  /// Disks are set back to backups of any age.
  case backups
  /// Running devices are copied, and the copies run beside them for a while.
  case copies
  /// A member tells the others whatever it likes, until it is removed.
  case dishonesty
  /// The same member fills the set of membership records.
  case fullSets = "full-sets"
  /// The same products in other versions of the catalogue.
  case catalogues
  /// Databases are put back alone: the device is told since when.
  case databases
  /// Rows of databases are lost.
  case rot
  /// People have devices take over credits.
  case reclaims
  /// People take the export of a device in on another.
  case imports
  /// A sandbox store sells, renews and takes back.
  case store
  /// Links carry one way alone, and ends do not hear that a connection is gone.
  case oneWay = "one-way"
  /// Several clocks are wrong alike, or the only one there is.
  case clocks
  /// A device begins dozens of incarnations.
  case lives

  /// What happens, as the help says it.
  package var summary: String {
    switch self {
    case .removals: "devices are removed"
    case .backups: "disks are set back"
    case .copies: "running devices are copied"
    case .dishonesty: "a member tells the others whatever it likes"
    case .fullSets: "a member fills the set of membership records"
    case .catalogues: "products change"
    case .databases: "databases are put back alone"
    case .rot: "rows of databases are lost"
    case .reclaims: "people have credits taken over"
    case .imports: "people import what another device has exported"
    case .store: "a sandbox store sells, renews and takes back"
    case .oneWay: "links carry one way alone"
    case .clocks: "several clocks are wrong alike"
    case .lives: "devices begin dozens of incarnations"
    }
  }

  /// Mean time between two, in milliseconds.
  var every: UInt64 {
    switch self {
    case .reclaims, .store, .catalogues: 120_000
    case .backups, .copies, .imports, .oneWay, .dishonesty: 300_000
    case .removals, .databases, .rot: 600_000
    case .clocks: 1_200_000
    case .fullSets, .lives: 1_800_000
    }
  }
}
