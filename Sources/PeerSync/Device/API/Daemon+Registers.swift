// Registers that no purchase explains: explicit dates, grants, values of the app.
extension Daemon {
  /// Writes an explicit date for a line. It stands in for every purchase of the line known here; all others, known
  /// elsewhere or made later, are counted on top.
  ///
  /// - Parameters:
  ///   - line: a line that products name
  ///   - expires: nil: no cover
  /// - Throws: a ``Problem`` when no product and no explicit date names the line, when it has more purchases than one
  ///   date can stand in for, when another copy of the device is at work, and when the ledger is full;
  ///   ``DaemonError/stopped`` before ``start()`` and after ``stop()``; ``StorageError`` when the disk has failed
  public func setExpiration(of line: String, to expires: Instant?) async throws -> ExpirationAnswer {
    let answer = try await require(.setExpiration(line: line, expires))
    guard case .expiration(let register, let written) = answer else { throw Problem(.failed) }
    return ExpirationAnswer(register, line: line, written: written)
  }

  /// Grants an entitlement that no purchase explains.
  ///
  /// - Parameters:
  ///   - entitlement: any name, of up to ``Limits/textBytes`` bytes
  ///   - until: when it ends; nil: never
  /// - Throws: a ``Problem`` for a longer name, when another copy of the device is at work, and when the
  ///   ledger is full; ``DaemonError/stopped`` before ``start()`` and after ``stop()``; ``StorageError`` when the disk
  ///   has failed
  public func grant(_ entitlement: String, until: Instant?) async throws -> GrantAnswer {
    try await require(.grant(entitlement: entitlement, until: until))
    return GrantAnswer(
      GrantProof(id: Grant.manual, grant: Grant(until: until), stands: true), of: entitlement)
  }

  /// Takes back every grant of an entitlement. Taking it back again changes nothing; purchases are untouched.
  ///
  /// - Throws: a ``Problem`` when no grant of it was ever known here, when another copy of the device is at work, and
  ///   when the ledger is full; ``DaemonError/stopped`` before ``start()`` and after ``stop()``; ``StorageError`` when the
  ///   disk has failed
  public func revoke(_ entitlement: String) async throws -> GrantAnswer {
    try await require(.revoke(entitlement: entitlement))
    return GrantAnswer(
      GrantProof(id: Grant.manual, grant: Grant(present: false), stands: false), of: entitlement)
  }

  /// A value of the app.
  ///
  /// - Throws: a ``Problem`` when it was never written; ``StorageError`` when the disk has failed
  public func value(_ key: String) throws -> ValueAnswer {
    try read { engine, _ in
      guard let register = engine.standing(.value(key: key)) else {
        throw Problem(
          .unknownValue, Phrase("no value '\(key)' is known here", "여기서 아는 ‘\(key)’ 값이 없습니다"))
      }
      return ValueAnswer(key: key, value: String(decoding: register.value, as: UTF8.self))
    }
  }

  /// Writes a value of the app for all devices.
  ///
  /// - Parameters:
  ///   - key: its name, of up to ``Limits/textBytes`` bytes
  ///   - value: up to ``Limits/valueBytes`` bytes
  /// - Throws: a ``Problem`` for a longer key or value, when another copy of the device is at work, and when
  ///   the ledger is full; ``DaemonError/stopped`` before ``start()`` and after ``stop()``; ``StorageError`` when the
  ///   disk has failed
  public func setValue(_ key: String, to value: String) async throws -> ValueAnswer {
    try await require(.setValue(key: key, Array(value.utf8)))
    return ValueAnswer(key: key, value: value)
  }
}
