import PeerSyncCore

// What must hold once everything is healed.
extension World {
  /// Whether every device runs, all of the family stand at the same vector and digest and know the same members, and
  /// nothing waits to be handled by them or to be made durable.
  package var isConverged: Bool {
    noteSameVector
      && family.allSatisfy { devices[$0].mailbox.isEmpty && devices[$0].engine?.holdings.isSaved == true }
      && stampsAhead.isEmpty
  }

  private var noteSameVector: Bool {
    guard originals.allSatisfy(isRunning),
      let first = family.first.flatMap({ devices[$0].engine })
    else { return false }
    return family.allSatisfy {
      let engine = devices[$0].engine
      return engine?.replica.vector == first.replica.vector && engine?.replica.digest == first.replica.digest
        && engine?.group == first.group
    }
  }

  /// Runs a healed world until it has converged.
  ///
  /// - Parameter limit: milliseconds of virtual time within which it must
  package func converge(within limit: UInt64) {
    let end = time + limit
    while !isConverged, violations.isEmpty {
      guard let next = queue.nextTime, next <= end else { break }
      step()
    }
    if noteSameVector, let ahead = stampsAhead.first { report(.time, ahead) }
    if !isConverged, violations.isEmpty {
      report(.liveness, "not converged \(limit) ms after the last fault\(differences)")
    }
    for _ in 0..<10 where countsApart { run(until: time + 60_000) }
  }

  /// Whether one device counts what is stamped too far ahead for another, whose clock is a little behind: it will count there soon.
  private var countsApart: Bool {
    let ceilings = family.compactMap { devices[$0].engine?.holdings.ledgerCache.counting.ceiling }
    guard let least = ceilings.min(), let greatest = ceilings.max(), least < greatest,
      let held = family.first.map({ devices[$0].disk.registers })
    else { return false }
    return held.sorted.contains {
      RegisterKind.isDecision($0.key) && $0.stamp > least && $0.stamp <= greatest
    }
  }

  /// In what devices differ from the first one, for whoever reads of it.
  private var differences: String {
    guard let first = family.first, let model = devices[first].engine else { return ": a device is down" }
    let held = Set(devices[first].disk.registers.writes)
    return family.dropFirst().map { index -> String in
      guard let engine = devices[index].engine else { return "; device \(index) is down" }
      var words: [String] = []
      if engine.group != model.group { words.append("another group") }
      let claims = Set(engine.replica.vector.entries).symmetricDifference(model.replica.vector.entries).count
      if claims > 0 { words.append("\(claims) other claims") }
      let own = Set(devices[index].disk.registers.writes)
      let (more, less) = (own.subtracting(held).count, held.subtracting(own).count)
      if more + less > 0 { words.append("\(more) registers more, \(less) less") }
      return words.isEmpty
        ? "" : "; device \(index) has \(words.joined(separator: ", ")) than device \(first)"
    }.joined()
  }

  /// What must hold once everyone knows everything.
  package func checkConverged() {
    let all = history.winners
    checkSameViews()
    for index in family {
      guard let engine = devices[index].engine else { continue }
      let winners = all.compactMap {
        isDecidedAnew($0, on: engine) ? engine.replica.registers[$0.register] : $0
      }
      if !history.hasDoubts, family.count == originals.count {
        checkWinners(index, engine, winners)
        checkView(index, of: winners)
      } else {
        checkCuts(index, engine)
        checkUndoubted(index, engine, winners)
      }
      checkAcknowledgedByAll(index, engine)
      TakingBackCheck(in: self)?.check(index, engine)
      checkThoroughly(index, engine)
    }
  }

  /// Devices that hold the same answer alike, whatever else they remember: who has lived which lives, say.
  private func checkSameViews() {
    guard let first = family.first, let model = view(of: first) else { return }
    for index in family.dropFirst() where view(of: index) != model {
      report(.convergence, "device \(index): same registers, other view than device \(first)")
    }
  }

  /// Devices that know everything are all connected, say no more than a beat needs, and raise no alarm.
  func checkQuiet() {
    let connected = time + Limits.redialMaximumMilliseconds + Limits.beatMilliseconds
    run(until: connected)
    let first = family.first ?? 0
    let before = (counts.messages, notices.count, devices[first].engine?.replica.digest)
    run(until: connected + 5 * Limits.beatMilliseconds)
    let others = family.count - 1
    let pairs = family.count * others / 2
    for index in family where devices[index].engine?.readySessions != others {
      report(.quiet, "device \(index) has \(devices[index].engine?.readySessions ?? 0) sessions")
    }
    // A beat comes after nine tenths of its time at the soonest, and is a question and an answer.
    // Clocks are asked for by both, now and then. Those who were removed may have something to say to each other.
    if family.count == originals.count, counts.messages - before.0 > pairs * (2 * 6 + 4) {
      report(.quiet, "\(counts.messages - before.0) messages between \(pairs) pairs in five beats")
    }
    // Those outside may not even be in sync with each other yet: nobody has waited for them. And what a wrong clock vouched for may be
    // withdrawn at any time once it is right. One that was removed dials the others each hour.
    let mayKnock = family.count < originals.count
    if let alarm = notices[before.1...].first(where: {
      family.contains($0.device) && !$0.notice.lowersFloor && !(mayKnock && $0.notice.refusesStranger)
    }) {
      report(.quiet, "\(alarm)")
    }
    if !noteSameVector || devices[first].engine?.replica.digest != before.2 {
      report(.quiet, "something changed")
    }
  }

  /// Whether a device may be without a decision of an earlier life of its author: it was stamped ahead, and another life has
  /// decided the same under its own name. What was there before it may be there again: others held the later one back.
  private func isDecidedAnew(_ write: Write, on engine: Engine) -> Bool {
    guard history.wasAhead(write.dot), !devices.contains(where: { $0.disk.replica == write.dot.replica }),
      engine.replica.registers[write.register].map({ $0.dot.sequence < write.dot.sequence }) ?? true
    else { return false }
    let author = history.keys[write.dot.replica]
    var isDecided = false
    engine.replica.registers.forEach(under: write.key) { held in
      if held.replica != write.dot.replica, history.keys[held.replica] == author { isDecided = true }
    }
    return isDecided
  }

  /// Registers hold just the winners of everything ever written.
  private func checkWinners(_ index: Int, _ engine: Engine, _ winners: [Write]) {
    let expected = winners.reduce(into: Digest()) { $0.add($1.digest) }
    guard engine.replica.digest != expected else { return }
    let lost = winners.first { engine.replica.registers[$0.register] != $0 }
    let what =
      lost.map { lost in
        let key = (try? RegisterKey(decoding: lost.key[...])).map { " (\($0))" } ?? ""
        return "lacks \(lost.dot.replica) \(lost.dot.sequence)\(key)"
      } ?? "invents a write"
    report(.noLostRenewal, "device \(index) \(what)")
  }

  /// Registers to which only devices in good standing have written hold the winner of what was written.
  private func checkUndoubted(_ index: Int, _ engine: Engine, _ winners: [Write]) {
    let authors = authorsOfFamily
    for winner in winners where !history.isInDoubt(winner.register) && authors.contains(winner.dot.replica) {
      let held = engine.replica.registers[winner.register]
      if held?.stamp != winner.stamp || held?.value != winner.value {
        report(.noLostRenewal, "device \(index) lacks or invents a write")
      }
    }
  }

  /// What a member acknowledged all members have: of registers in doubt, what the store has signed.
  private func checkAcknowledgedByAll(_ index: Int, _ engine: Engine) {
    for author in family {
      let acknowledged = requests.acknowledged(by: author)
      let lost = acknowledged.filter { engine.replica.greatestStamp(under: $0.key) == nil }
      let needed = lost.isEmpty ? [] : parts(of: acknowledged)
      for write in lost {
        let kind = write.key.first.flatMap { RegisterKind(rawValue: $0) }
        // One that no item is made of says nothing, and goes with whoever wrote it. An export may hold such ones.
        if kind == .storePart, !needed.contains(write.key) { continue }
        guard kind?.isSignedByStore ?? false || !isInDoubt(write, by: author) else { continue }
        report(.noLostRenewal, "device \(index) lacks what device \(author) acknowledged")
      }
    }
  }

  /// The keys of the parts that items of the store among these writes are made of.
  private func parts(of writes: [LocalWrite]) -> Set<[UInt8]> {
    let templates = writes.compactMap { write -> [UInt8]? in
      guard case .compact(let template, _, _)? = try? StoreItem.decode(write.value[...]).0 else { return nil }
      return RegisterKey.storePart(template).encoded
    }
    let needed = Set(templates)
    let chains = writes.compactMap { write -> [UInt8]? in
      guard needed.contains(write.key), case .template(let part)? = try? StorePart(decoding: write.value)
      else { return nil }
      return RegisterKey.storePart(part.chain).encoded
    }
    return needed.union(chains)
  }

  // MARK: What there must be

  /// What devices have stamped ahead, or would. Once clocks are right again there is nothing of it after a while, but for what
  /// is of earlier lives; a device that is left alone has no second clock to tell.
  var stampsAhead: [String] {
    family.count < 2
      ? []
      : family.flatMap { index -> [String] in
        let own = devices[index].disk.replica
        var ahead = devices[index].disk.registers.sorted.filter {
          $0.dot.replica == own && $0.isAhead(of: trueTime)
        }.map { write in
          "device \(index) holds a write stamped \(write.stamp.lead(over: trueTime)) ms ahead"
        }
        let lead = devices[index].engine?.greatestStamp.lead(over: trueTime) ?? 0
        if lead > Limits.clockDriftMilliseconds + KnownFloors.skewLimit {
          ahead.append("device \(index) would stamp \(lead) ms ahead")
        }
        return ahead
      }
  }
}
