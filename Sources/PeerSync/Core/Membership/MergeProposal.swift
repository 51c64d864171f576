/// A merge that is not signed yet. Host and joiner sign the same bytes, in either order.
package struct MergeProposal: Hashable, Sendable {
  /// What both sides know of, sorted.
  package let parents: [ContentHash]
  package let merge: MembershipRecord.Merge

  package init(parents: [ContentHash], merge: MembershipRecord.Merge) {
    self.parents = parents
    self.merge = merge
  }

  /// The signature of one side.
  package func signature(by key: SigningKey) -> Signature {
    key.sign(MembershipRecord(parents: parents, body: .merge(merge), signatures: []).signedBytes)
  }
}
