/// How much of what devices gave and did not have comes back from those who have it now: the greatest flow through gifts, by Dinic's
/// algorithm. Whoever is reached by fewer gifts pays first; of several, as the order of the calls has it.
struct GiftFlow {
  /// Edges come in pairs, there and back: the other one is that whose place differs in the last bit.
  private var targets: [Int] = []
  private var rooms: [Int64] = []
  private var edges: [[Int]]
  private var levels: [Int] = []
  /// The edge of each node that is looked at next.
  private var cursors: [Int] = []

  private var source: Int { edges.count - 2 }
  private var sink: Int { edges.count - 1 }

  /// - Parameter devices: how many there are
  init(devices: Int) { edges = Array(repeating: [], count: devices + 2) }

  /// A device gave so much and did not have it. The edge.
  mutating func lack(_ amount: Int64, by device: Int) -> Int { connect(source, device, amount) }

  /// A device can pay so much. The edge.
  mutating func pay(_ amount: Int64, by device: Int) -> Int { connect(device, sink, amount) }

  /// One device gave so much to another. The edge.
  mutating func give(_ amount: Int64, from giver: Int, to receiver: Int) -> Int {
    connect(giver, receiver, amount)
  }

  private mutating func connect(_ from: Int, _ to: Int, _ room: Int64) -> Int {
    let edge = targets.count
    targets += [to, from]
    rooms += [room, 0]
    edges[from].append(edge)
    edges[to].append(edge ^ 1)
    return edge
  }

  /// What does not flow through an edge.
  func room(of edge: Int) -> Int64 { rooms[edge] }

  /// Lets as much flow as can.
  mutating func run() {
    while findLevels() {
      cursors = Array(repeating: 0, count: edges.count)
      while pushOnce() {}
    }
  }

  /// How far each node is from the source.
  ///
  /// - Returns: whether there is a way to the sink
  private mutating func findLevels() -> Bool {
    levels = Array(repeating: -1, count: edges.count)
    levels[source] = 0
    var (queue, next) = ([source], 0)
    while next < queue.count {
      let node = queue[next]
      next += 1
      for edge in edges[node] where rooms[edge] > 0 && levels[targets[edge]] < 0 {
        levels[targets[edge]] = levels[node] + 1
        queue.append(targets[edge])
      }
    }
    return levels[sink] >= 0
  }

  /// Lets something flow along one shortest way.
  ///
  /// - Returns: whether there was one
  private mutating func pushOnce() -> Bool {
    var (path, node) = ([Int](), source)
    while node != sink {
      if let edge = nextEdge(of: node) {
        path.append(edge)
        node = targets[edge]
      } else {
        // Nothing leads on from here: the edge to it is done with.
        guard let last = path.popLast() else { return false }
        node = targets[last ^ 1]
        cursors[node] += 1
      }
    }
    let part = path.reduce(Int64.max) { min($0, rooms[$1]) }
    for edge in path {
      rooms[edge] -= part
      rooms[edge ^ 1] += part
    }
    return true
  }

  /// Who pays how much of what a device lacks, and by whom it had come there: by ways that the flow takes. Of what comes to one from
  /// several, the first that is asked about has what it can.
  ///
  /// - Parameters:
  ///   - edge: what it lacks
  ///   - flow: what flows through each edge: what is told is taken out of it
  func payers(of edge: Int, _ flow: inout [Int64]) -> [(payer: Int, by: [Int], amount: Int64)] {
    var (payers, cursors) = ([(payer: Int, by: [Int], amount: Int64)](), [Int: Int]())
    var (way, node) = ([edge], targets[edge])
    while flow[edge] > 0 {
      if node == sink {
        let amount = takeOut(way, &flow)
        let devices = way.dropLast().map { targets[$0] }
        payers.append((devices[devices.count - 1], Array(devices.dropFirst().dropLast()), amount))
        (way, node) = ([edge], targets[edge])
        continue
      }
      let place = cursors[node, default: 0]
      guard place < edges[node].count else { break }
      let next = edges[node][place]
      // Each second one goes back.
      guard next & 1 == 0, flow[next] > 0 else {
        cursors[node] = place + 1
        continue
      }
      if let round = way.firstIndex(where: { targets[$0 ^ 1] == targets[next] }) {
        way.append(next)
        _ = takeOut(Array(way[round...]), &flow)
        (way, node) = (Array(way[..<round]), targets[next])
        continue
      }
      way.append(next)
      node = targets[next]
    }
    return payers
  }

  /// What flows through each edge.
  var flow: [Int64] { rooms.indices.map { $0 & 1 == 0 ? rooms[$0 ^ 1] : 0 } }

  private func takeOut(_ way: [Int], _ flow: inout [Int64]) -> Int64 {
    let amount = way.reduce(Int64.max) { min($0, flow[$1]) }
    for edge in way { flow[edge] -= amount }
    return amount
  }

  private mutating func nextEdge(of node: Int) -> Int? {
    while cursors[node] < edges[node].count {
      let edge = edges[node][cursors[node]]
      if rooms[edge] > 0, levels[targets[edge]] == levels[node] + 1 { return edge }
      cursors[node] += 1
    }
    return nil
  }
}
