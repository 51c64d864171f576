"""A server of an app that uses Apple's own library against `peerd store`.

Usage: store-client.py BASE-URL KEY-FILE KEY-ID ISSUER ROOT.pem BUNDLE TRANSACTION OVER. Prints one JSON document.
OVER is a transaction of a subscription that is over.
"""
import json, sys, time
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from appstoreserverlibrary.api_client import APIException, AppStoreServerAPIClient, GetTransactionHistoryVersion
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

url, key, key_id, issuer, root, bundle, transaction, over = sys.argv[1:]
client = AppStoreServerAPIClient(open(key, "rb").read(), key_id, issuer, bundle, Environment.SANDBOX)
client._base_url = url
der = x509.load_pem_x509_certificate(open(root, "rb").read()).public_bytes(Encoding.DER)
verifier = SignedDataVerifier([der], False, Environment.SANDBOX, bundle)


def history(**filters):
    found, revision, pages = [], None, 0
    while True:
        page = client.get_transaction_history(
            transaction, revision, TransactionHistoryRequest(**filters), GetTransactionHistoryVersion.V2)
        found += [verifier.verify_and_decode_signed_transaction(text) for text in page.signedTransactions]
        revision, pages = page.revision, pages + 1
        if not page.hasMore:
            return found, pages


def error(call, *arguments):
    try:
        call(*arguments)
        return None
    except APIException as failure:
        return [failure.http_status_code, failure.raw_api_error]


def base36(number):
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return (base36(number // 36) if number >= 36 else "") + digits[number % 36]


def stranger():
    other = AppStoreServerAPIClient(open(key, "rb").read(), "OTHERKEY01", issuer, bundle, Environment.SANDBOX)
    other._base_url = url
    return error(other.get_transaction_info, transaction)


def test_notification():
    token = client.request_test_notification().testNotificationToken
    for _ in range(200):
        status = client.get_test_notification_status(token)
        if status.sendAttempts:
            break
        time.sleep(0.05)
    decoded = verifier.verify_and_decode_notification(status.signedPayload)
    return [decoded.rawNotificationType, [attempt.rawSendAttemptResult for attempt in status.sendAttempts]]


def notifications():
    told, token = [], None
    while True:
        page = client.get_notification_history(token, NotificationHistoryRequest(startDate=1, endDate=4102444800000))
        for item in page.notificationHistory:
            told.append(verifier.verify_and_decode_notification(item.signedPayload))
        token = page.paginationToken
        if not page.hasMore:
            return told


def subtype(item):
    return item.rawNotificationType + ("/" + item.rawSubtype if item.rawSubtype else "")


def renewal(item):
    last = item.lastTransactions[0]
    info = verifier.verify_and_decode_renewal_info(last.signedRenewalInfo)
    bought = verifier.verify_and_decode_signed_transaction(last.signedTransactionInfo)
    return [last.rawStatus, info.autoRenewProductId, info.rawAutoRenewStatus, bought.productId]


def win_back(transaction):
    last = client.get_all_subscription_statuses(transaction).data[0].lastTransactions[0]
    return verifier.verify_and_decode_renewal_info(last.signedRenewalInfo).eligibleWinBackOfferIds


all_bought, pages = history()
told = notifications()
inner = [verifier.verify_and_decode_signed_transaction(item.data.signedTransactionInfo)
         for item in told if item.data.signedTransactionInfo]
info = verifier.verify_and_decode_signed_transaction(client.get_transaction_info(transaction).signedTransactionInfo)
order = "M" + base36(int(transaction))
print(json.dumps({
    "history": [item.transactionId for item in all_bought], "pages": pages,
    "descending": [item.transactionId for item in history(sort=Order.DESCENDING)[0]],
    "consumables": len(history(productTypes=[ProductType.CONSUMABLE])[0]),
    "revoked": len(history(revoked=True)[0]),
    "info": [info.productId, info.bundleId, info.storefront, info.price, info.currency],
    "order": len(client.look_up_order_id(order).signedTransactions), "noOrder": client.look_up_order_id("MNONE").rawStatus,
    "statuses": [renewal(item) for item in client.get_all_subscription_statuses(transaction).data],
    "winBack": [win_back(over), win_back(transaction)],
    "refunds": len(client.get_refund_history(transaction, None).signedTransactions),
    "unknown": error(client.get_transaction_info, "2999999999999999"), "invalid": error(client.get_transaction_info, "owl"),
    "wrongRevision": error(client.get_refund_history, transaction, "x"), "stranger": stranger(),
    "test": test_notification(), "told": [subtype(item) for item in told], "inside": len(inner)}))
