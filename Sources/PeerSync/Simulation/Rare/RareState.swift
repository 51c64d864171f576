import PeerSyncCore

/// What rare faults remember of a world.
struct RareState {
  /// The member that tells the others whatever it likes; nil: everybody is honest so far.
  var dishonest: Int?
  /// The incarnations that it made up.
  var forged: Set<ReplicaID> = []
  /// A device that begins one incarnation after another, and how many are still to come.
  var lives: (device: Int, left: Int)?
  /// The sandbox store, once something was asked of it.
  var store: RandomStore?
}
