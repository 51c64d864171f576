import PeerSync

/// The bounds of the control API's server. They guard against a local program gone wrong, not against the network:
/// the server listens on loopback only.
package enum HTTPLimits {
  /// Most connections at a time. A new one takes the place of the one that has waited longest for a
  /// request.
  package static let connections = DescriptorBudget.mostRequests
  /// Largest head of a request, its line and its headers as they are sent, in bytes.
  package static let headBytes = 16 * 1024
  /// Most headers, parameters of the query and cookies of a request, together.
  package static let headNames = 200
  /// Memory of one connection for a head, what the library notes of it, and output, in bytes. A head that did not go in would
  /// be refused by the library itself, without a problem: enough for every one within ``headBytes`` and ``headNames``.
  package static let connectionBytes = 80 * 1024
  /// Largest answer after which a connection is kept, in bytes: it stays in memory until the next request comes.
  package static let keptBytes = 64 * 1024
  /// Largest request body, in bytes.
  package static let bodyBytes = 1024 * 1024
  /// Largest body of an import, in bytes. It is held in memory while it is taken in.
  package static let importBytes = 256 * 1024 * 1024
  /// How long the head of a request may take, and how long a reader may take nothing of its answer, in seconds.
  package static let idleSeconds: UInt32 = 30
  /// How long a client whose head was refused may take to read that and to end its connection, in milliseconds.
  package static let refusedMilliseconds: UInt64 = 1000
  /// How long a body may take, of a request or of an answer, besides the time for its bytes, in milliseconds.
  package static let bodyMilliseconds: UInt64 = 10_000
  /// How long the body of a request may take so while all connections are taken, in milliseconds.
  package static let crowdedBodyMilliseconds: UInt64 = 1_000
  /// Bytes of a body that give it another millisecond: about 64 KiB a second.
  package static let bodyBytesPerMillisecond: UInt64 = 64
  /// How long requests under way may go on once the server stops, in milliseconds.
  package static let stopMilliseconds = 1000
  /// How long the refusals sent to the rest may take then, in milliseconds.
  package static let lastWordsMilliseconds = 300
  /// Time between two signs of life on an idle event stream, in milliseconds.
  package static let keepAliveMilliseconds: Int32 = 15_000
  /// Most bytes queued on one event stream. A reader slower than that loses the stream, and resumes by Last-Event-ID.
  package static let streamBytes = 1024 * 1024
}
