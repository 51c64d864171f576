// What devices do to the world: the other side of `SimulatedRunner`.
extension World {
  func persist(_ durable: Durable, _ index: Int) throws {
    // A device can die before its disk has anything, or after, before anyone hears of it.
    let fate = faults.crashEvery == 0 ? .max : chance(4_000)
    if fate == 0 { throw SimulatedCrash() }
    devices[index].disk.persist(fate == 1 ? durable : asStored(durable, index))
    history.note(durable, by: durable.replica ?? devices[index].disk.replica)
    counts.writes += durable.writes.reduce(0) { $0 + $1.count }
    if fate == 1 { devices[index].isDying = true }
  }

  func answered(_ index: Int, _ request: RequestID, _ answer: Answer) {
    guard !devices[index].isDying else { return }
    answers[request] = answer
    guard let writes = pending.removeValue(forKey: request), case .done = answer else { return }
    counts.acknowledged += 1
    acknowledged[index, default: []] += writes
  }

  func noticed(_ index: Int, _ notice: Notice) { notices.append((index, notice)) }

  // MARK: Connections

  func send(_ message: Message, _ index: Int, _ session: SessionID) {
    guard !devices[index].isDying, let (number, end) = devices[index].sessions[session] else { return }
    let bytes = Frame.encode(message)
    counts.messages += 1
    counts.bytes += bytes.count
    trace.combine(UInt64(bytes.count))
    connections[number].ends[end].queued += 1
    let arrival = transmit(bytes, on: number, from: end)
    queue.schedule(.queueEmptied(connection: number, end: end), at: arrival)
    if chance(1_000) < faults.duplication { transmit(bytes, on: number, from: end) }
  }

  @discardableResult private func transmit(_ bytes: [UInt8], on number: Int, from end: Int) -> UInt64 {
    let arrival: UInt64
    if chance(1_000) < faults.reordering {
      arrival = time + delay()
    } else {
      arrival = max(time + delay(), connections[number].ends[1 - end].lastArrival)
      connections[number].ends[1 - end].lastArrival = arrival
    }
    if chance(1_000) >= faults.loss {
      queue.schedule(.arrive(connection: number, end: 1 - end, bytes: bytes), at: arrival)
    }
    return arrival
  }

  func arrive(_ number: Int, _ end: Int, _ bytes: [UInt8]) {
    let (receiver, sender) = (connections[number].ends[end], connections[number].ends[1 - end])
    guard receiver.isOpen else { return }
    // What is under way when a link is cut is lost, and in the end the connection with it.
    guard !links.isCut(receiver.device, sender.device) else { return breakConnection(number) }
    bytes.withUnsafeBytes { connections[number].ends[end].decoder.append($0) }
    do {
      while let message = try connections[number].ends[end].decoder.next() {
        post(.received(receiver.session, message), to: receiver.device)
      }
    } catch {
      report(.undecodable, "device \(receiver.device): \(error)")
    }
  }

  private func breakConnection(_ number: Int) {
    for end in 0...1 {
      queue.schedule(.connectionClosed(connection: number, end: end), at: time + 1 + chance(10_000))
    }
  }

  func queueEmptied(_ number: Int, _ end: Int) {
    connections[number].ends[end].queued -= 1
    let side = connections[number].ends[end]
    if side.queued == 0, side.isOpen { post(.drained(side.session), to: side.device) }
  }

  func connectionClosed(_ number: Int, _ end: Int) {
    let side = connections[number].ends[end]
    guard side.isOpen else { return }
    connections[number].ends[end].isOpen = false
    devices[side.device].sessions[side.session] = nil
    post(.closed(side.session), to: side.device)
  }

  func close(_ index: Int, _ session: SessionID, _ reason: CloseReason) {
    guard !devices[index].isDying, let (number, end) = devices[index].sessions[session] else { return }
    send(.close(reason), index, session)
    let last = connections[number].ends[1 - end].lastArrival
    queue.schedule(.connectionClosed(connection: number, end: end), at: time + 1)
    queue.schedule(.connectionClosed(connection: number, end: 1 - end), at: max(last, time) + 1)
  }

  func dial(_ index: Int, _ address: Address) {
    guard !devices[index].isDying else { return }
    queue.schedule(.dialled(device: index, life: devices[index].life, address: address), at: time + delay())
  }

  func dialled(_ index: Int, _ address: Address) {
    guard let target = devices.firstIndex(where: { $0.address == address }), devices[target].engine != nil,
      !links.isCut(index, target)
    else { return post(.unreachable(address), to: index) }
    let sessions = [makeSession(), makeSession()]
    let ends = [
      VirtualConnection.End(device: index, session: sessions[0]),
      VirtualConnection.End(device: target, session: sessions[1]),
    ]
    connections.append(VirtualConnection(ends: ends))
    devices[index].sessions[sessions[0]] = (connections.count - 1, 0)
    devices[target].sessions[sessions[1]] = (connections.count - 1, 1)
    post(.opened(sessions[0], .dialled(address), channel(to: target)), to: index)
    post(.opened(sessions[1], .accepted(from: devices[index].address), channel(to: index)), to: target)
  }

  /// The other device always proves its own key.
  private func channel(to index: Int) -> Channel {
    .certificate(SigningKey.simulated(seed: UInt64(index)).publicKey)
  }

  private func makeSession() -> SessionID {
    sessionsMade += 1
    return SessionID(rawValue: sessionsMade)
  }
}
