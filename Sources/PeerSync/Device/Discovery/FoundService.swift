/// A device that somebody announces on the local network, as one network interface shows it.
package struct FoundService: Hashable, Sendable {
  /// What tells it from all others.
  package struct Place: Hashable, Comparable, Sendable {
    package let name: String
    package let interface: Int32
    package let family: Int32

    package init(name: String, interface: Int32, family: Int32) {
      self.name = name
      self.interface = interface
      self.family = family
    }

    package static func < (left: Place, right: Place) -> Bool {
      (left.name, left.interface, left.family) < (right.name, right.interface, right.family)
    }
  }

  package let place: Place
  package let address: Address
  /// The strings of its TXT record.
  package let text: [[UInt8]]

  package init(place: Place, address: Address, text: [[UInt8]]) {
    self.place = place
    self.address = address
    self.text = text
  }

  /// Where it can be dialled: of version 6 an address of one link takes the interface as its scope (RFC 4007, section 11). Nil where
  /// that is not known.
  fileprivate var dialled: Address? {
    guard address.isLinkLocal, address.host.contains(":") else { return address }
    return place.interface > 0 ? Address(host: "\(address.host)%\(place.interface)", port: address.port) : nil
  }
}

/// All that is announced on the local network, by whomever.
package struct FoundServices: Sendable {
  private var services: [FoundService.Place: FoundService] = [:]

  package init() {}

  /// Keeps what was found, in place of what was found there before. Beyond ``Limits/sightedServices`` nothing more is kept.
  package mutating func take(_ found: FoundService) {
    guard services[found.place] != nil || services.count < Limits.sightedServices else { return }
    services[found.place] = found
  }

  package mutating func lose(_ place: FoundService.Place) { services[place] = nil }

  /// The names of all devices, in order.
  package var names: [String] { Set(services.keys.map(\.name)).sorted() }

  /// What is known of the device behind a name, with an address at least; nil: nothing that means anything.
  package func device(_ name: String) -> (announcement: Announcement, address: Address, all: [Address])? {
    let shown = services.values.filter { $0.place.name == name }.sorted { $0.place < $1.place }
    guard let first = shown.first, let announcement = Announcement(first.text) else { return nil }
    var addresses: [Address] = []
    for found in shown where found.address.port == first.address.port {
      if let address = found.dialled, !addresses.contains(address) { addresses.append(address) }
    }
    // Those of one link mean something here alone: any other is tried before them.
    addresses = addresses.filter { !$0.isLinkLocal } + addresses.filter(\.isLinkLocal)
    guard let address = addresses.first else { return nil }
    return (announcement, address, addresses)
  }
}
