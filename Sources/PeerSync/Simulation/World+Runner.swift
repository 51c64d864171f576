import PeerSyncCore

// What devices do to the world: the other side of `SimulatedRunner`.
extension World {
  func persist(_ durable: Durable, _ index: Int) throws {
    // A device can die before its disk has anything, or after, before anyone hears of it.
    let fate = faults.crashEvery == 0 ? .max : chance(4_000)
    if fate == 0 { throw SimulatedCrash() }
    history.overrule(devices[index].disk.overruled(by: durable))
    devices[index].disk.persist(fate == 1 ? durable : asStored(durable, index))
    let replica = durable.replica ?? devices[index].disk.replica
    if let twice = history.note(durable, by: replica) {
      report(.identity, "device \(index) wrote twice as \(twice.replica) \(twice.sequence)")
    }
    if isDoubtful(index) { doubtful.insert(replica) }
    noteSpending(durable, by: replica)
    counts.writes += durable.writes.reduce(0) { $0 + $1.count }
    if fate == 1 { devices[index].isDying = true }
  }

  func answered(_ index: Int, _ request: RequestID, _ answer: Answer) {
    guard !devices[index].isDying else { return }
    if let before = answers[request], request != .echo {
      report(.answers, "device \(index) answered \(before) first, and then \(answer)")
    }
    answers[request] = answer
    if let spending = pendingSpends.removeValue(forKey: request), case .spent(let spent) = answer {
      if spent.amount != spending.amount { report(.noOverspending, "device \(index) spent something else") }
      if spendings[spending.credit].acknowledged[spent.id] == nil {
        counts.spends += 1
        note(spending.credit) { $0.acknowledged[spent.id] = (index, spent.amount) }
      }
    }
    guard let writes = pending.removeValue(forKey: request), answer.refusal == nil else { return }
    counts.acknowledged += 1
    acknowledged[index, default: []] += writes
  }

  /// The store signs what a device drafts, by a clock that is right, whatever the device's says.
  func sign(_ draft: Transaction, _ index: Int, for request: RequestID) {
    guard !devices[index].isDying else { return }
    var snapshot = draft
    snapshot.signedDate = trueTime
    // Who hears no answer asks again.
    let isAgain = bought.contains { $0.transactionId == snapshot.transactionId }
    if snapshot.revocationDate == nil, !isAgain { bought.append(snapshot) }
    let item = SimulatedStore.item(SimulatedStore.sign(snapshot), for: devices[index].identity)
    pending[request] = item.writes(devices[index].identity, .simulated)
    post(.signed(request, item), to: index)
  }

  func admit(_ index: Int, _ members: [PublicKey]) { devices[index].members = Set(members) }

  func invite(_ index: Int, _ change: InvitationChange) {
    if case .open(let invitation) = change {
      devices[index].invitation = invitation
    } else {
      devices[index].invitation = nil
    }
  }

  func noticed(_ index: Int, _ notice: Notice) {
    if case .stampedAnew(let writes) = notice { counts.stampedAnew += writes }
    if case .voided = notice { doubtStrangers(to: index) }
    notices.append((index, notice))
  }

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

  func dial(_ index: Int, _ target: DialTarget) {
    guard !devices[index].isDying else { return }
    queue.schedule(.dialled(device: index, life: devices[index].life, dial: target), at: time + delay())
  }

  func dialled(_ index: Int, _ dial: DialTarget) {
    guard let target = devices.firstIndex(where: { $0.address == dial.address }),
      devices[target].engine != nil, !links.isCut(index, target)
    else { return post(.unreachable(dial.address, nil), to: index) }
    do throws(CloseReason) {
      connect(index, target, dial.address, try channels(index, target, dial.invitation))
    } catch {
      if error == .wrongCode { post(.wrongCode, to: target) }
      post(.unreachable(dial.address, error), to: index)
    }
  }

  /// What a real connection's encryption would prove to either side.
  private func channels(
    _ dialler: Int, _ listener: Int, _ invitation: InvitationKey?
  ) throws(CloseReason) -> (dialler: Channel, listener: Channel) {
    let (own, other) = (devices[dialler].identity.key, devices[listener].identity.key)
    guard let invitation else {
      guard devices[dialler].members.contains(other), devices[listener].members.contains(own) else {
        throw .stranger
      }
      return (.certificate(other), .certificate(own))
    }
    guard let open = devices[listener].invitation else { throw .noInvitation }
    guard open.key == invitation else { throw .wrongCode }
    let exporter = ContentHash(words: (random.next(), random.next(), random.next(), random.next()))
    return (.invitation(exporter: exporter), .invitation(exporter: exporter))
  }

  private func connect(
    _ index: Int, _ target: Int, _ address: Address, _ channels: (dialler: Channel, listener: Channel)
  ) {
    let sessions = [makeSession(), makeSession()]
    let ends = [
      VirtualConnection.End(device: index, session: sessions[0]),
      VirtualConnection.End(device: target, session: sessions[1]),
    ]
    connections.append(VirtualConnection(ends: ends))
    devices[index].sessions[sessions[0]] = (connections.count - 1, 0)
    devices[target].sessions[sessions[1]] = (connections.count - 1, 1)
    post(.opened(sessions[0], .dialled(address), channels.dialler), to: index)
    post(.opened(sessions[1], .accepted(from: devices[index].address), channels.listener), to: target)
  }

  private func makeSession() -> SessionID {
    sessionsMade += 1
    return SessionID(rawValue: sessionsMade)
  }
}
