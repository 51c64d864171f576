// Who imports PeerSync has the core with it: identifiers, instants, periods, products, and what an engine answers.
@_exported import PeerSyncCore
