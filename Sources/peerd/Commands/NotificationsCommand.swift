import PeerSync
import PeerSyncControl

/// `peerd notifications`: lists what the store has told this device.
enum NotificationsCommand {
  static func run(_ client: ControlClient, _ console: Console) async throws {
    let answer: NotificationsAnswer = try await client.send("GET", "/v1/notifications")
    try console.print(answer) { text(answer.notifications, console) }
  }

  private static func text(_ notifications: [NotificationAnswer], _ console: Console) -> String {
    guard !notifications.isEmpty else {
      return console.words(.noNotifications) + "\n"
    }
    var table = console.table(
      .whole(.signed), .text(.type), .text(.subtype, .useful), .text(.changes, .useful),
      .whole(.transaction, .extra), .text(.product, .extra))
    for notification in notifications {
      table.add([
        console.date(notification.signedDate), notification.notificationType, notification.subtype ?? "–",
        console.words(notification.effect.map(Phrase.effect) ?? .unknown), notification.transactionId ?? "–",
        notification.productId ?? "–",
      ])
    }
    return console.titled(.notificationsTitle, table)
  }
}
