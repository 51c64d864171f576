import Foundation

/// An error of the control API as RFC 9457 describes it, with a code that programs can rely on.
public struct Problem: Error, Codable, Equatable, Sendable, CustomStringConvertible {
  /// Every code, with its HTTP status. Codes never change their meaning.
  public enum Code: String, Codable, CaseIterable, Sendable {
    /// The request is not HTTP that can be understood in one way only.
    case malformedRequest = "malformed-request"
    /// The body comes in chunks, or in a coding, instead of with its length.
    case lengthRequired = "length-required"
    /// There is nothing at this path.
    case notFound = "not-found"
    /// The path does not take this method.
    case methodNotAllowed = "method-not-allowed"
    /// The Host header does not name this server.
    case hostNotAllowed = "host-not-allowed"
    /// The request comes from a page of another site.
    case originNotAllowed = "origin-not-allowed"
    /// The bearer token is missing or wrong.
    case tokenRequired = "token-required"
    /// The body is not application/json.
    case unsupportedMediaType = "unsupported-media-type"
    /// The request line and the headers are larger than 16 KiB, or there are more than 200 headers, parameters and cookies.
    case headTooLarge = "head-too-large"
    /// The body is larger than this path takes.
    case bodyTooLarge = "body-too-large"
    /// The body is not the JSON that this path takes.
    case malformedBody = "malformed-body"
    /// A value is out of its range.
    case invalidValue = "invalid-value"
    /// The catalogue has no such product.
    case unknownProduct = "unknown-product"
    /// No such transaction is known here.
    case unknownTransaction = "unknown-transaction"
    /// No such entitlement is known here.
    case unknownEntitlement = "unknown-entitlement"
    /// No such line is known here.
    case unknownLine = "unknown-line"
    /// No such credit is known here.
    case unknownCredit = "unknown-credit"
    /// The device may not spend as much, and peers could not help.
    case notEnough = "not-enough"
    /// Another amount was spent under the same id.
    case spentOtherwise = "spent-otherwise"
    /// All devices of the group have to be connected and in sync for this.
    case notComplete = "not-complete"
    /// Another device of the group has to do this, the most senior one.
    case notCustodian = "not-custodian"
    /// No such value is known here.
    case unknownValue = "unknown-value"
    /// The sandbox store does not do this.
    case storeRefused = "store-refused"
    /// The sandbox store cannot be reached.
    case storeUnreachable = "store-unreachable"
    /// The customer has cancelled the purchase.
    case purchaseCancelled = "purchase-cancelled"
    /// The payment was refused.
    case purchaseFailed = "purchase-failed"
    /// Only the sandbox and xcode environments allow this.
    case realStore = "real-store"
    /// The device does not listen for peers.
    case notListening = "not-listening"
    /// The inviting device said no.
    case notAdmitted = "not-admitted"
    /// No device of the group has that id or name.
    case unknownDevice = "unknown-device"
    /// The device was removed from its group.
    case removed = "removed"
    /// The removal would have no effect.
    case noEffect = "no-effect"
    /// Another copy of the device is at work.
    case cloned = "cloned"
    /// The other device cannot be reached.
    case unreachable = "unreachable"
    /// The device is offline.
    case offline = "offline"
    /// The same thing is under way already.
    case busy = "busy"
    /// A key or value is larger than a register takes.
    case tooLarge = "too-large"
    /// A time lies too far ahead of this device's clock.
    case tooFarAhead = "too-far-ahead"
    /// The ledger is full.
    case ledgerFull = "ledger-full"
    /// The app that made the device allows no person to accept its clock.
    case acceptForbidden = "accept-forbidden"
    /// The daemon is stopping.
    case stopping = "stopping"
    /// The daemon failed.
    case failed = "failed"

    /// The HTTP status that goes with it.
    public var status: UInt32 {
      switch self {
      case .malformedRequest, .malformedBody: 400
      case .tokenRequired: 401
      case .hostNotAllowed, .originNotAllowed, .notAdmitted, .acceptForbidden: 403
      case .notFound, .unknownProduct, .unknownTransaction, .unknownEntitlement, .unknownLine, .unknownValue,
        .unknownDevice, .unknownCredit:
        404
      case .methodNotAllowed: 405
      case .lengthRequired: 411
      case .realStore, .notListening, .removed, .noEffect, .cloned, .offline, .busy, .notEnough,
        .spentOtherwise, .notComplete, .notCustodian, .storeRefused, .purchaseCancelled, .purchaseFailed:
        409
      case .bodyTooLarge, .tooLarge: 413
      case .unsupportedMediaType: 415
      case .invalidValue, .tooFarAhead: 422
      case .headTooLarge: 431
      case .failed: 500
      case .unreachable, .storeUnreachable: 502
      case .stopping: 503
      case .ledgerFull: 507
      }
    }

    /// What the code means, in a few words.
    public var title: String {
      switch self {
      case .malformedRequest: "the request cannot be understood in one way only"
      case .lengthRequired: "the length of the body is not given"
      case .notFound: "there is nothing at this path"
      case .methodNotAllowed: "the path does not take this method"
      case .hostNotAllowed: "the Host header does not name this server"
      case .originNotAllowed: "the request comes from a page of another site"
      case .tokenRequired: "the bearer token is missing or wrong"
      case .unsupportedMediaType: "the body is not application/json"
      case .headTooLarge: "the head of the request is too large"
      case .bodyTooLarge: "the body is larger than this path takes"
      case .malformedBody: "the body is not the JSON that this path takes"
      case .invalidValue: "a value is out of its range"
      case .unknownProduct: "the catalogue has no such product"
      case .unknownTransaction: "no such transaction is known here"
      case .unknownEntitlement: "no such entitlement is known here"
      case .unknownLine: "no such line is known here"
      case .unknownValue: "no such value is known here"
      case .unknownCredit: "no such credit is known here"
      case .notEnough: "this device may not spend as much"
      case .spentOtherwise: "another amount was spent under the same id"
      case .notComplete: "all devices of the group have to be connected and in sync for this"
      case .notCustodian: "the most senior device of the group has to do this"
      case .storeRefused: "the sandbox store does not do this"
      case .storeUnreachable: "the sandbox store cannot be reached"
      case .purchaseCancelled: "the purchase was cancelled"
      case .purchaseFailed: "the payment was refused"
      case .realStore: "only the sandbox and xcode environments allow this"
      case .notListening: "the device does not listen for peers"
      case .notAdmitted: "the inviting device said no"
      case .unknownDevice: "no device of the group has that id or name"
      case .removed: "the device was removed from its group"
      case .noEffect: "the removal would have no effect"
      case .cloned: "another copy of the device is at work"
      case .unreachable: "the other device cannot be reached"
      case .offline: "the device is offline"
      case .busy: "the same thing is under way already"
      case .tooLarge: "a key or value is larger than a register takes"
      case .tooFarAhead: "a time lies too far ahead of this device's clock"
      case .ledgerFull: "the ledger is full"
      case .acceptForbidden: "nobody may accept the clock of this device"
      case .stopping: "the daemon is stopping"
      case .failed: "the daemon failed"
      }
    }
  }

  /// Always `about:blank`: the kind of problem is told by ``code`` (RFC 9457, section 4.2.1).
  public let type: String
  /// See ``Code/title``.
  public let title: String
  /// See ``Code/status``.
  public let status: UInt32
  /// What is wrong and what to do, in one line.
  public let detail: String
  /// ``detail`` in Korean; nil from a daemon or a store of an earlier version.
  public let detailInKorean: String?
  /// What kind of problem it is, for programs.
  public let code: Code
  /// Why the other device has said no; nil for any other code, and where it has not said so.
  public let reason: Reason?

  /// Why another device has said no to one that wants to join. They never change their meaning.
  public enum Reason: String, Codable, CaseIterable, Sendable {
    /// The invitation code is wrong.
    case wrongCode = "wrong-code"
    /// No invitation is open there.
    case noInvitation = "no-invitation"
    /// Anything else: ``Problem/detail`` says it.
    case other
  }

  /// - Parameters:
  ///   - detail: nil: the code says it all
  ///   - reason: why the other device has said no
  package init(_ code: Code, _ detail: Phrase? = nil, reason: Reason? = nil) {
    let detail = detail ?? code.told
    type = "about:blank"
    title = code.title
    status = code.status
    self.detail = detail.text(in: .english)
    detailInKorean = detail.text(in: .korean)
    self.code = code
    self.reason = reason
  }

  /// What kind of problem it is and what to do, in one line.
  public var description: String { detail == title ? title : "\(title): \(detail)" }
}
