import PeerSync
import PeerSyncControl
import PeerSyncSandbox

/// What `POST /inApps/v1/notifications/history` is asked for.
struct NotificationFilter: Decodable, Sendable {
  let startDate: Int64?
  let endDate: Int64?
  let notificationType: String?
  let notificationSubtype: String?
  let transactionId: String?
  let onlyFailures: Bool?

  func check() throws(ServerError) {
    guard let startDate, Instant(milliseconds: startDate) != nil else { throw .invalidStartDate }
    guard let endDate, Instant(milliseconds: endDate) != nil else { throw .invalidEndDate }
    guard startDate < endDate else { throw .startDateAfterEndDate }
    guard notificationType == nil || transactionId == nil else { throw .multipleFiltersSupplied }
  }

  func takes(_ told: SandboxNotification) -> Bool {
    let date = told.signed.milliseconds
    let subjects = [told.transaction, told.subscription].compactMap { $0.map { String($0) } }
    return (startDate.map { date >= $0 } ?? true) && (endDate.map { date < $0 } ?? true)
      && (notificationType.map { $0 == told.type } ?? true)
      && (notificationSubtype.map { $0 == told.subtype } ?? true)
      && (transactionId.map(subjects.contains) ?? true)
      && (onlyFailures != true || told.hasFailed)
  }
}
