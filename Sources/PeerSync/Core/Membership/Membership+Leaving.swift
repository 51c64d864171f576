/// What leaves the set: whoever was removed could otherwise have others hold for ever what it made up.
extension Membership {
  /// The records of removed devices that count for nothing, with all that hangs on them alone. Those that a record which
  /// stays descends from stay as well.
  func leaving(by resolution: Resolution, seenBy key: PublicKey) -> RecordSet {
    let bound = resolution.places.filter(\.isBound).map(\.founding)
    guard !bound.isEmpty, let own = resolution.place(of: key), !own.isBound else { return RecordSet() }
    let index = index
    // The first devices of the groups that this one came under have not come in by what a removed device has signed. One of them may say
    // that this device is out.
    let above = index.above[resolution.root]
    // What each device has made, and who signed it besides.
    var made: [[(place: Int, by: [Int])]] = Array(repeating: [], count: entries.count)
    for place in entries.indices where !resolution.counted.contains(place) {
      let signers = signers(of: place)
      if let first = signers.first { made[first].append((place, signers.filter { !above.contains($0) })) }
      // A recovery key has led out of the group that its device had joined, and all of that one is void here.
      guard case .merge(let merge) = entries[place].record.body, let joiner = self.place(of: merge.joiner),
        bound.contains(joiner), !index.ownRecoveries[joiner].isEmpty
      else { continue }
      made[joiner].append((place, signers))
    }
    // Who came in by nothing but what is void is as void.
    var marked = RecordSet()
    var tainted = RecordSet()
    var open = bound
    while let founding = open.popLast() {
      guard !tainted.contains(founding) else { continue }
      tainted.insert(founding)
      for (place, signers) in made[founding] {
        marked.insert(place)
        open += signers.filter { resolution.rank(ofFounding: $0) == nil }
      }
    }
    for place in entries.indices where founding(at: place) != nil && place != own.founding {
      if resolution.rank(ofFounding: place) == nil { marked.insert(place) }
    }
    // Nor does it count that a removed device leaves by a founding by which it is not in.
    for rank in resolution.firstRanks {
      let founding = resolution.places[rank].founding
      guard !index.leavings[founding].isEmpty, let key = self.founding(at: founding)?.key,
        resolution.ranks(of: key).allSatisfy({ resolution.places[$0].isBound })
      else { continue }
      for place in index.leavings[founding] where !resolution.counted.contains(place) { marked.insert(place) }
    }
    for place in resolution.places where place.isBound {
      marked.subtract(parting(place, index, resolution))
    }
    let staying = ancestors(of: entries.indices.filter { !marked.contains($0) })
    var leaving = RecordSet()
    for place in entries.indices where marked.contains(place) && !staying.contains(place) {
      leaving.insert(place)
    }
    // What they alone linked to the group: whoever is told of it would not know where it belongs.
    let linked = linked(to: own.founding, without: leaving)
    for place in entries.indices where !linked.contains(place) { leaving.insert(place) }
    return leaving
  }

  /// The records by which a device had left devices of its own group before it came into this one, of each of these the first: they do not
  /// follow it here (``Resolution``). Where it has left once and knew of how it came in, they follow: then that one alone, as long as some do.
  private func parting(
    _ place: Resolution.Place, _ index: MembershipIndex, _ resolution: Resolution
  ) -> RecordSet {
    guard let merge = place.merge else { return RecordSet() }
    let recoveries = index.ownRecoveries[place.founding]
    let said = (recoveries.isEmpty ? index.leavings[place.founding] : recoveries).sorted(by: precedes)
    let brought = said.isEmpty ? [] : entries.indices.filter { index.merges[$0]?.group == place.founding }
    var (parting, known) = (RecordSet(), RecordSet())
    let later = recoveries.isEmpty ? said.first { entries[$0].ancestors.contains(merge) } : nil
    if let later {
      if brought.contains(where: resolution.counted.contains) { parting.insert(later) }
      return parting
    }
    for record in said where !entries[record].ancestors.contains(merge) {
      let ancestors = entries[record].ancestors
      if brought.contains(where: { ancestors.contains($0) && !known.contains($0) }) { parting.insert(record) }
      known.formUnion(ancestors)
    }
    return parting
  }

  /// The foundings of the devices whose own keys have signed a record, who made it first; none for a founding. Of a merge that
  /// is the host: that its group came under another may count for whoever is first there.
  private func signers(of place: Int) -> [Int] {
    switch entries[place].record.body {
    case .found: []
    case .merge(let merge): [merge.host, merge.joiner].compactMap { self.place(of: $0) }
    case .remove(let removal):
      removal.isByRecoveryKey ? [] : [self.place(of: removal.author)].compactMap(\.self)
    case .other(_, let author, _): [self.place(of: author)].compactMap(\.self)
    }
  }
}
