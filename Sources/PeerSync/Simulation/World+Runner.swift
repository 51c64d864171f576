import PeerSyncCore

// What devices do to the world: the other side of `SimulatedRunner`.
extension World {
  func persist(_ durable: Durable, _ index: Int, isReclaiming: Bool) throws {
    // A device can die before its disk has anything, or after, before anyone hears of it.
    let fate = faults.crashEvery == 0 ? .max : chance(4_000)
    if fate == 0 { throw SimulatedCrash() }
    let former = devices[index].disk.replica
    let replica = durable.replica ?? former
    let review = isReclaiming ? TakingReview(of: index, in: self) : nil
    let excess = review?.excess(of: durable, by: replica) ?? []
    for (credit, amount) in excess { books.excuse(amount, of: credit) }
    devices[index].disk.persist(fate == 1 ? durable : asStored(durable, index))
    let key = devices[index].identity.key
    // A life may write its last in the transaction with which the next one begins.
    for writer in former == replica ? [replica] : [former, replica] {
      if let twice = history.note(durable, by: writer, of: key, at: trueTime) {
        report(.identity, "device \(index) wrote twice as \(twice.replica) \(twice.sequence)")
      }
      books.note(durable, by: writer)
    }
    if isDoubtful(index) { history.doubt(replica) }
    counts.writes += durable.writes.reduce(0) { $0 + $1.count }
    if fate == 1 { devices[index].isDying = true }
  }

  func answered(_ index: Int, _ request: RequestID, _ answer: Answer) {
    guard !devices[index].isDying else { return }
    let outcome = requests.answered(request, answer, by: index)
    if let before = outcome.before, request != .echo {
      report(.answers, "device \(index) answered \(before) first, and then \(answer)")
    }
    if outcome.isAcknowledged { counts.acknowledged += 1 }
    if let spending = outcome.spending, case .spent(let spent) = answer {
      if spent.amount != spending.amount { report(.noOverspending, "device \(index) spent something else") }
      let made = Spending(credit: spending.credit, amount: spent.amount, id: spent.id)
      if books.acknowledge(made, by: index) { counts.spends += 1 }
    }
  }

  /// The store signs what a device drafts, by a clock that is right, whatever the device's says.
  func sign(_ draft: Transaction, _ index: Int, for request: RequestID) {
    guard !devices[index].isDying else { return }
    let snapshot = sales.date(draft, at: trueTime)
    let item = SimulatedStore.item(SimulatedStore.sign(snapshot), for: devices[index].identity)
    requests.signed(item, for: request, of: devices[index].identity)
    post(.signed(request, item), to: index)
  }

  func admit(_ index: Int, _ belonging: Belonging) {
    devices[index].members = Set(belonging.members)
    devices[index].removed = Set(belonging.removed)
  }

  func invite(_ index: Int, _ change: InvitationChange) {
    if case .open(let invitation) = change {
      devices[index].invitation = invitation
    } else {
      devices[index].invitation = nil
    }
  }

  func noticed(_ index: Int, _ notice: Notice) {
    if case .stampedAnew(let writes) = notice { counts.stampedAnew += writes }
    if notice.lowersFloor { checked.floors.forget(index) }
    if case .voided = notice { doubtStrangers(to: index) }
    notices.append((index, notice))
  }

  // MARK: Connections

  func send(_ message: Message, _ index: Int, _ session: SessionID) {
    guard !devices[index].isDying, network.isOpen(session) else { return }
    let bytes = Frame.encode(message)
    counts.messages += 1
    counts.bytes += bytes.count
    trace.combine(UInt64(bytes.count))
    network.enqueue(on: session)
    let arrival = transmit(bytes, session)
    queue.schedule(.queueEmptied(session), at: arrival)
    if chance(1_000) < faults.duplication, faults.isRough(at: time) { transmit(bytes, session) }
  }

  @discardableResult private func transmit(_ bytes: [UInt8], _ session: SessionID) -> UInt64 {
    let isRough = faults.isRough(at: time)
    let overtakes = chance(1_000) < faults.reordering && isRough
    let duration = delay() + network.delay(of: session)
    let arrival = network.arrival(of: session, at: time + duration, overtakes: overtakes)
    if chance(1_000) >= faults.loss || !isRough {
      queue.schedule(.arrive(network.peer(of: session), bytes: bytes), at: arrival)
    }
    return arrival
  }

  func arrive(_ session: SessionID, _ bytes: [UInt8]) {
    guard network.isOpen(session) else { return }
    // What is under way when a link is cut is lost, and in the end the connection with it.
    guard !network.isCut(session) else { return breakConnection(session) }
    guard !network.isDeaf(session), !network.hold(bytes, on: session) else { return }
    let device = network.device(of: session)
    network.take(bytes, on: session)
    do {
      while let message = try network.nextMessage(on: session) {
        post(.received(session, message), to: device)
      }
    } catch {
      report(.undecodable, "device \(device): \(error)")
    }
  }

  private func breakConnection(_ session: SessionID) {
    for end in [session, network.peer(of: session)].sorted() where hearsOfBreaks() {
      queue.schedule(.connectionClosed(end), at: time + 1 + chance(10_000))
    }
  }

  func queueEmptied(_ session: SessionID) {
    if network.dequeue(on: session) { post(.drained(session), to: network.device(of: session)) }
  }

  func connectionClosed(_ session: SessionID) {
    if network.close(session) { post(.closed(session), to: network.device(of: session)) }
  }

  func close(_ index: Int, _ session: SessionID, _ reason: CloseReason) {
    guard !devices[index].isDying, network.isOpen(session) else { return }
    send(.close(reason), index, session)
    let peer = network.peer(of: session)
    queue.schedule(.connectionClosed(session), at: time + 1)
    queue.schedule(.connectionClosed(peer), at: max(network.lastArrival(at: peer), time) + 1)
  }

  func dial(_ index: Int, _ target: DialTarget) {
    guard !devices[index].isDying else { return }
    queue.schedule(.dialled(device: index, life: devices[index].life, dial: target), at: time + delay())
  }

  func dialled(_ index: Int, _ dial: DialTarget) {
    guard let target = devices.indices.first(where: { devices[$0].address == dial.address }),
      isRunning(target), !network.links.isCut(index, target),
      !network.links.isStalled(index, target),
      !network.links.isBlocked(index, to: target), !network.links.isBlocked(target, to: index)
    else { return post(dial.failed(nil), to: index) }
    do throws(CloseReason) {
      connect(index, target, dial.address, try channels(index, target, dial))
    } catch {
      if error == .wrongCode { post(.wrongCode(network.failedHandshake(index, with: target)), to: target) }
      post(dial.failed(error), to: index)
    }
  }

  /// What a real connection's encryption would prove to either side.
  private func channels(
    _ dialler: Int, _ listener: Int, _ dial: DialTarget
  ) throws(CloseReason) -> (dialler: Channel, listener: Channel) {
    let (own, other) = (devices[dialler].identity.key, devices[listener].identity.key)
    guard let invitation = dial.invitation else {
      let isMember = devices[dialler].members.contains(other)
      guard isMember || dial.isIntroduction && devices[dialler].removed.contains(other) else {
        throw .stranger
      }
      if dial.isIntroduction { return (.introduction(other), .introduction(own)) }
      guard devices[listener].members.contains(own) else { throw .stranger }
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
    let sessions = network.connect(index, to: target)
    post(.opened(sessions.dialler, .dialled(address), channels.dialler), to: index)
    post(.opened(sessions.listener, .accepted(from: devices[index].address), channels.listener), to: target)
  }
}
