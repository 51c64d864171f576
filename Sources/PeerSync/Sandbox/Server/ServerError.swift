import PeerSync
import PeerSyncControl
import PeerSyncSandbox

/// Apple's errors, with their numbers.
package enum ServerError: Int, Error, Sendable {
  case badRequest = 4_000_000
  case invalidRequestRevision = 4_000_005
  case invalidTransactionId = 4_000_006
  case startDateAfterEndDate = 4_000_013
  case invalidPaginationToken = 4_000_014
  case invalidStartDate = 4_000_015
  case invalidEndDate = 4_000_016
  case multipleFiltersSupplied = 4_000_019
  case invalidTestNotificationToken = 4_000_020
  case invalidSort = 4_000_021
  case invalidProductType = 4_000_022
  case invalidInAppOwnershipType = 4_000_026
  case invalidRevoked = 4_000_030
  case invalidStatus = 4_000_031
  case notFound = 4_040_000
  case serverNotificationUrlNotFound = 4_040_007
  case testNotificationNotFound = 4_040_008
  case transactionIdNotFound = 4_040_010
  case internalError = 5_000_000

  private struct Document: Encodable {
    let errorCode: Int
    let errorMessage: String
  }

  var response: HTTPResponse {
    let document = Document(errorCode: rawValue, errorMessage: message)
    return HTTPResponse(
      status: UInt32(rawValue / 10_000), contentType: "application/json", body: .bytes(JSON.encode(document)))
  }

  private var message: String {
    switch self {
    case .badRequest: "Bad request."
    case .invalidRequestRevision: "Invalid request revision."
    case .invalidTransactionId: "Invalid transaction id."
    case .startDateAfterEndDate: "The end date precedes the start date, or they are the same."
    case .invalidPaginationToken: "Invalid pagination token."
    case .invalidStartDate: "Invalid start date."
    case .invalidEndDate: "Invalid end date."
    case .multipleFiltersSupplied: "Give a transaction id or a notification type, not both."
    case .invalidTestNotificationToken: "Invalid test notification token."
    case .invalidSort: "Invalid sort."
    case .invalidProductType: "Invalid product type."
    case .invalidInAppOwnershipType: "Invalid in-app ownership type."
    case .invalidRevoked: "Invalid revoked parameter."
    case .invalidStatus: "Invalid status."
    case .notFound: "Not found."
    case .serverNotificationUrlNotFound:
      "No server notification URL is configured: start the store with one."
    case .testNotificationNotFound: "The test notification token is unknown, or the notification is gone."
    case .transactionIdNotFound: "Transaction id not found."
    case .internalError: "An unknown error occurred."
    }
  }
}
