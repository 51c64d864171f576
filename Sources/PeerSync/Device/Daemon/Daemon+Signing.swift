extension Daemon {
  /// Has the device's own store sign what the engine has drafted, and looks at it as at anything that a store has signed.
  func sign(_ draft: Transaction, for request: RequestID) {
    post(.signed(request, signed(draft)))
  }

  private func signed(_ draft: Transaction) -> IngestedItem? {
    do {
      guard let text = try store.sandbox?.sign(draft).text else { return nil }
      return IngestedItem(
        String(decoding: text, as: UTF8.self), engine.identity, store.verifier, trusting: store.trustedRoots)
    } catch {
      configuration.log(.error, "the store of this device cannot sign: \(error)")
      return nil
    }
  }
}
