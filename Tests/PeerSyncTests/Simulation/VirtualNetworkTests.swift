import PeerSyncCore
import PeerSyncSimulation
import Testing

@Suite struct VirtualNetworkTests {
  private var network = VirtualNetwork()
  private let first: (dialler: SessionID, listener: SessionID)
  private let second: (dialler: SessionID, listener: SessionID)

  /// Device 0 has dialled 1, and 2 has dialled 0.
  init() {
    first = network.connect(0, to: 1)
    second = network.connect(2, to: 0)
  }

  @Test func eachSessionIsAnEnd() {
    #expect(
      [first.dialler, first.listener, second.dialler, second.listener].map(\.rawValue) == [1, 2, 3, 4])
    #expect(network.peer(of: first.dialler) == first.listener)
    #expect(network.peer(of: second.listener) == second.dialler)
    #expect([first.dialler, first.listener, second.listener].map(network.device) == [0, 1, 0])
  }

  @Test func aDeviceThatDiesClosesItsEndsAlone() {
    var network = network
    let others = network.closeAll(of: 0)
    #expect(others == [first.listener, second.dialler])
    #expect(!network.isOpen(first.dialler) && network.isOpen(first.listener))
    let wereOpen = [second.listener, second.dialler, second.dialler].map { network.close($0) }
    #expect(wereOpen == [false, true, false])
    let rest = network.closeAll(of: 0)
    #expect(rest == [])
  }

  @Test func aCutLinkCutsItsConnections() {
    var network = network
    network.links.cut(0, 1)
    #expect(network.isCut(first.dialler) && network.isCut(first.listener) && !network.isCut(second.dialler))
    network.links.hold(0, 2)
    network.links.mendFaults()
    #expect(!network.isCut(first.dialler) && network.isCut(second.dialler))
  }

  /// As over TCP, unless they are to overtake others. Either direction is for itself.
  @Test func bytesArriveInOrder() {
    var network = network
    let arrivals = [
      network.arrival(of: first.dialler, at: 90, overtakes: false),
      network.arrival(of: first.dialler, at: 70, overtakes: false),
      network.arrival(of: first.dialler, at: 60, overtakes: true),
      network.arrival(of: first.listener, at: 50, overtakes: false),
    ]
    #expect(arrivals == [90, 90, 60, 50])
    #expect(network.lastArrival(at: first.listener) == 90 && network.lastArrival(at: first.dialler) == 50)
  }

  @Test func aQueueIsDrainedOnce() {
    var network = network
    network.enqueue(on: first.dialler)
    network.enqueue(on: first.dialler)
    var drained = (0..<2).map { _ in network.dequeue(on: first.dialler) }
    network.enqueue(on: first.dialler)
    _ = network.close(first.dialler)
    drained.append(network.dequeue(on: first.dialler))
    #expect(drained == [false, true, false])
  }

  @Test func messagesComeWhole() throws {
    var network = network
    let bytes = Frame.encode(.close(.leaving))
    network.take(Array(bytes.dropLast()), on: first.listener)
    var messages = [try network.nextMessage(on: first.listener)]
    network.take(Array(bytes.suffix(1)), on: first.listener)
    for _ in 0..<2 { messages.append(try network.nextMessage(on: first.listener)) }
    #expect(messages == [nil, .close(.leaving), nil])
  }
}
