/// Body of `POST /v1/purchases`.
package struct PurchaseBody: Codable, Hashable, Sendable {
  package let productId: String
  /// Units; 1 unless said.
  package let quantity: Int?
  /// When; now unless said. Sandbox and xcode only.
  package let at: Instant?
  /// The id of an offer of the sandbox store.
  package let offer: String?

  package init(productId: String, quantity: Int?, at: Instant?, offer: String? = nil) {
    self.productId = productId
    self.quantity = quantity
    self.at = at
    self.offer = offer
  }
}

/// Body of `POST /v1/transactions`.
package struct IngestBody: Codable, Hashable, Sendable {
  /// JSON Web Signatures in compact serialization.
  package let items: [String]

  package init(items: [String]) { self.items = items }
}

/// Body of `POST /v1/refunds`.
package struct RefundBody: Codable, Hashable, Sendable {
  package let transactionId: String

  package init(transactionId: String) { self.transactionId = transactionId }
}

/// Body of `POST /v1/credits/{id}/spends`; none is needed to spend one.
package struct SpendBody: Codable, Hashable, Sendable {
  /// How many; 1 unless said.
  package let amount: Int64?
  /// Names the spend; a new name unless said.
  package let id: String?

  package init(amount: Int64?, id: String?) {
    self.amount = amount
    self.id = id
  }
}

/// Body of `POST /v1/credits/{id}/reclaim`; none is needed.
package struct ReclaimBody: Codable, Hashable, Sendable {
  /// `lost`: from devices that nobody has met; else from earlier lives of this device, and from those that were removed.
  package let from: String?

  package init(from: String?) { self.from = from }
}

/// Body of `PUT /v1/lines/{id}/expiration`. The field is required, so that forgetting it does not end a cover.
package struct ExpirationBody: Codable, Hashable, Sendable {
  /// Null: no cover.
  package let expires: Instant?

  package init(expires: Instant?) { self.expires = expires }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    expires = try container.decode(Instant?.self, forKey: .expires)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(expires, forKey: .expires)
  }

  private enum CodingKeys: CodingKey { case expires }
}

/// Body of `PUT /v1/grants/{entitlement}`.
package struct GrantBody: Codable, Hashable, Sendable {
  /// Never unless said.
  package let until: Instant?

  package init(until: Instant?) { self.until = until }
}

/// Body of `PUT /v1/values/{key}`.
package struct ValueBody: Codable, Hashable, Sendable {
  package let value: String

  package init(value: String) { self.value = value }
}

/// Body of `POST /v1/membership`.
package struct JoinBody: Codable, Hashable, Sendable {
  /// What `peerd invite` printed.
  package let url: String

  package init(url: String) { self.url = url }
}

/// Body of `DELETE /v1/devices/{id}`; none is needed without a recovery key, or to take nothing back.
package struct RemoveBody: Codable, Hashable, Sendable {
  /// What `peerd init` printed when the group was founded: removes by its right instead of this device's own.
  package let recoveryKey: String?
  /// Whether all that the device ever decided is taken back; no unless said.
  package let all: Bool?
  /// Since when what it decided is taken back; not beside ``all``.
  package let since: Instant?
  /// Devices that it let in and that go with it, by id or name; none unless said.
  package let disown: [String]?

  package init(recoveryKey: String?, _ takingBack: TakingBack = .nothing, disown: [String] = []) {
    self.recoveryKey = recoveryKey
    self.disown = disown.isEmpty ? nil : disown
    all = takingBack == .everything ? true : nil
    since = if case .since(let time) = takingBack { time } else { nil }
  }

  /// - Throws: a ``Problem`` where it says two things
  package var takingBack: TakingBack {
    get throws(Problem) {
      guard let since else { return all == true ? .everything : .nothing }
      if all == true {
        throw Problem(
          .invalidValue, Phrase("give either all or since", "all과 since 가운데 하나만 지정하세요"))
      }
      return .since(since)
    }
  }
}

/// Body of `POST /v1/time`; none is needed.
package struct AcceptTimeBody: Codable, Hashable, Sendable {
  /// True unless said; there is nothing else to ask for.
  package let accept: Bool?

  package init(accept: Bool?) { self.accept = accept }
}

/// Body of `PUT /v1/device`.
package struct RenameBody: Codable, Hashable, Sendable {
  package let name: String

  package init(name: String) { self.name = name }
}

/// Body of `PUT /v1/network`.
package struct NetworkBody: Codable, Hashable, Sendable {
  package let online: Bool

  package init(online: Bool) { self.online = online }
}
