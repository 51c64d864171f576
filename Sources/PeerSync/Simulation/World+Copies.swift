import PeerSyncCore

// A device whose data directory is copied while it runs: both go on, under one key, until the copy is found out and stopped
// for good.
extension World {
  /// The devices that people have, without copies of them.
  var originals: [Int] { devices.indices.filter { devices[$0].original == nil } }

  /// Someone copies a running device.
  func copy() {
    guard faults.copyEvery > 0 else { return }
    scheduleFault(.copy, every: faults.copyEvery)
    let index = Int(chance(UInt64(originals.count)))
    guard devices[index].engine != nil, !devices.contains(where: { $0.original == index && $0.engine != nil })
    else { return }
    queue.schedule(.endCopy(device: copy(index)), at: time + 1 + chance(faults.copyEvery))
  }

  /// Copies the directory of a device and starts the copy beside it. It finds that it is a copy, and continues as an
  /// incarnation of its own.
  ///
  /// - Returns: the index of the copy
  func copy(_ index: Int) -> Int {
    counts.copies += 1
    doubt(index)
    let copy = devices.count
    var device = SimulatedDevice(
      identity: devices[index].identity, signer: devices[index].signer,
      recoveryKey: devices[index].recoveryKey,
      address: Address(host: "copy-\(copy)", port: 1), disk: devices[index].disk,
      wallOffset: devices[index].wallOffset)
    let nonce = Nonce(high: random.next(), low: random.next())
    device.disk.begin(Incarnation(key: device.signer.publicKey, nonce: nonce), .simulated)
    device.peers = devices[index].peers
    device.original = index
    device.isDoubtful = true
    devices.append(device)
    start(copy)
    return copy
  }

  /// Someone stops a copy for good, and starts the other one anew: two that met decide nothing any more.
  func endCopy(_ copy: Int) {
    guard let original = devices[copy].original, !devices[copy].isGone else { return }
    kill(copy)
    devices[copy].isGone = true
    spendings.setAvailable(nil, of: copy)
    guard devices[original].engine != nil else { return }
    kill(original)
    start(original)
  }
}
