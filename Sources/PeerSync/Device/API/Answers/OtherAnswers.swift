/// Products that were written.
public struct CatalogueAnswer: Codable, Hashable, Sendable {
  /// How many; those that stood as they are were not.
  public let written: Int
  /// One sentence for each field that was ignored.
  public let warnings: [String]
  /// ``warnings`` in Korean, one for each; nil from a daemon of an earlier version.
  public let warningsInKorean: [String]?

  package init(written: Int, told warnings: [Phrase]) {
    self.written = written
    self.warnings = warnings.map { $0.text(in: .english) }
    warningsInKorean = warnings.map { $0.text(in: .korean) }
  }
}

/// The entitlements.
public struct EntitlementsAnswer: Codable, Hashable, Sendable {
  /// By id.
  public let entitlements: [EntitlementAnswer]

  package init(entitlements: [EntitlementAnswer]) {
    self.entitlements = entitlements
  }
}

/// The credits.
public struct CreditsAnswer: Codable, Hashable, Sendable {
  /// By id.
  public let credits: [CreditAnswer]
}

/// A small value that an app wants on all devices.
public struct ValueAnswer: Codable, Hashable, Sendable {
  /// Its name.
  public let key: String
  /// Any text.
  public let value: String
}

/// What an import did.
public struct ImportAnswer: Codable, Hashable, Sendable {
  /// Registers of the file that were looked at.
  public let registers: Int
  /// Registers of the file that only devices of its group may write: what each has spent and given of its credits.
  public let skipped: Int
  /// Registers that are new here or newer than what was here.
  public let changed: Int
}

/// One thing that has changed, as `GET /v1/events` and `peerd watch` tell it.
public struct ChangeAnswer: Codable, Hashable, Sendable {
  /// Counts the changes since the daemon started.
  public let revision: UInt64
  /// Names of the members of ``StatusAnswer`` that differ from the event before; all of them in the first.
  public let changed: [String]
  /// How things stand now.
  public internal(set) var status: StatusAnswer
}

/// The daemon works.
public struct HealthAnswer: Codable, Hashable, Sendable {
  /// `ok`.
  public let status: String
  /// The program's version.
  public let version: String

  package init(status: String, version: String) {
    self.status = status
    self.version = version
  }
}
