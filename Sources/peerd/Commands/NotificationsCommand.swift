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
      return "no notification was taken in; `peerd ingest` takes them\n"
    }
    var table = console.table(
      .whole("SIGNED"), "TYPE", .text("SUBTYPE", .useful), .text("CHANGES", .useful),
      .whole("TRANSACTION", .extra), .text("PRODUCT", .extra))
    for notification in notifications {
      table.add([
        console.date(notification.signedDate), notification.notificationType, notification.subtype ?? "–",
        notification.effect ?? "unknown here", notification.transactionId ?? "–",
        notification.productId ?? "–",
      ])
    }
    return console.section("Notifications", table, isEmpty: false)
  }
}
