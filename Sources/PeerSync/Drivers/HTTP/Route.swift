/// What a request asks for.
package enum Route: Equatable, Sendable {
  case status
  case entitlements
  case entitlement(String)
  case why(String)
  case line(String)
  case setExpiration(line: String)
  case subscriptions
  case products
  case transactions
  case purchase
  case refund
  case restore
  case ingest
  case notifications
  case credits
  case spend(credit: String)
  case reclaim(credit: String)
  case grant(String)
  case revoke(String)
  case value(String)
  case setValue(String)
  case devices
  case remove(device: String)
  case invite
  case join
  case network
  case exportLedger
  case importLedger
  case events
  case metrics
  case health
  case openAPI
  case dashboard
}
