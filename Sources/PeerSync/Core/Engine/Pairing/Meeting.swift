/// How far a device is that joins over an invitation.
package enum Joiner: Sendable {
  /// It has asked, and the inviter's records are on their way.
  case asking(IncomingRecords)
  /// It has the inviter's records.
  case heard(from: Membership)
  /// It has agreed, and waits for the record.
  case agreed(MergeProposal, with: PublicKey, Membership)
}

/// How far a device is that takes another in over its invitation.
package enum Inviter: Sendable {
  /// Nobody has said yet who wants to join.
  case waiting
  /// It knows who wants to join, whose records are on their way.
  case asked(by: PublicKey, IncomingRecords)
  /// It has proposed how the two groups become one.
  case proposed(MergeProposal, to: PublicKey, Membership)
}

/// What a device checks and signs when it meets another over an invitation. Both know the code, or the connection would not stand.
/// Each proves that it owns its key by signing both keys, its role and what only this connection exports, so that nobody in between
/// can put in another; and both sign the record that makes one group of their two.
package struct Meeting: Sendable {
  package let key: PublicKey
  package let signer: SigningKey
  package let cryptography: Cryptography
  /// What only this connection exports.
  package let exporter: ContentHash

  package init(key: PublicKey, signer: SigningKey, cryptography: Cryptography, exporter: ContentHash) {
    self.key = key
    self.signer = signer
    self.cryptography = cryptography
    self.exporter = exporter
  }

  private enum Role: UInt8 {
    case inviter = 1
    case joiner = 2
  }

  private func transcript(of role: Role, inviter: PublicKey, joiner: PublicKey) -> [UInt8] {
    Array("PeerSync join".utf8) + [role.rawValue] + inviter.bytes + joiner.bytes + exporter.bytes
  }

  // MARK: The device that joins

  /// Agrees that the two groups become one, if the inviter has proved who it is and that is all it proposes.
  package func agree(
    to introduction: Introduction, of theirs: Membership, _ own: Membership
  ) throws(CloseReason) -> Consent {
    let inviter = introduction.key
    guard inviter != key else { throw .itself }
    let spoken = transcript(of: .inviter, inviter: inviter, joiner: key)
    guard cryptography.isValid(introduction.signature, of: spoken, by: inviter) else { throw .forged }
    do throws(MembershipError) {
      try own.check(introduction.proposal, joiner: key, host: inviter, of: theirs)
    } catch { throw CloseReason(error) }
    return Consent(
      signature: signer.sign(transcript(of: .joiner, inviter: inviter, joiner: key)),
      countersignature: introduction.proposal.signature(by: signer))
  }

  // MARK: The device that invited

  /// Proves who this device is, and proposes that the two groups become one.
  ///
  /// - Parameter group: the one that this device is in
  package func propose(
    to joiner: PublicKey, of theirs: Membership, _ own: Membership, in group: GroupID
  ) throws(CloseReason) -> Introduction {
    do throws(MembershipError) {
      let proposal = try own.proposeMerge(host: key, joiner: joiner, of: theirs, preferring: group)
      let spoken = transcript(of: .inviter, inviter: key, joiner: joiner)
      return Introduction(key: key, signature: signer.sign(spoken), proposal: proposal)
    } catch { throw CloseReason(error) }
  }

  /// The record that makes one group of the two, once the joiner has proved who it is and agreed.
  package func record(
    _ consent: Consent, to proposal: MergeProposal, of joiner: PublicKey
  ) throws(CloseReason) -> MembershipRecord {
    let spoken = transcript(of: .joiner, inviter: key, joiner: joiner)
    guard cryptography.isValid(consent.signature, of: spoken, by: joiner) else { throw .forged }
    return MembershipRecord(
      proposal, host: proposal.signature(by: signer), joiner: consent.countersignature)
  }
}

extension MembershipRecord {
  /// Whether it is what a device has agreed to.
  package func fulfils(_ proposal: MergeProposal) -> Bool {
    parents == proposal.parents && body == .merge(proposal.merge)
  }
}

extension CloseReason {
  /// Why two groups do not become one.
  fileprivate init(_ error: MembershipError) {
    self =
      switch error {
      case .otherApp: .stranger
      case .removed, .notMember, .joinerRemoved: .removed
      case .hostRemoved: .hostRemoved
      case .alreadyKnown: .duplicate
      case .full: .noRoom
      case .notFirst: .notFirst
      case .unknownDevice, .wrongRecoveryKey, .removedAlready, .hasLeft, .lastMember, .otherProposal: .forged
      }
  }
}
