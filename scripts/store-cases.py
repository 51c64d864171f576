"""Signed items of a store, good and bad, with the verdict of Apple's own library on each.

Usage: store-cases.py COUNT SEED FILE. Writes one JSON document a line: the case, what it was asked for as, the text,
the hash of the trusted root, whether the library accepts it, and the fields that it reads.
"""
import base64, datetime, hashlib, json, multiprocessing, random, sys
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

BUNDLE = "com.example.owls"
UTC = datetime.timezone.utc
START, END = datetime.datetime(2024, 1, 1, tzinfo=UTC), datetime.datetime(2028, 1, 1, tzinfo=UTC)
LEAF, INTERMEDIATE = "1.2.840.113635.100.6.11.1", "1.2.840.113635.100.6.2.1"
TYPES = {"Consumable": "consumable", "Non-Consumable": "nonConsumable",
         "Non-Renewing Subscription": "nonRenewingSubscription",
         "Auto-Renewable Subscription": "autoRenewableSubscription"}
PAYMENTS = ["FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT", "ONE_TIME"]
REVOCATIONS = ["REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE"]
# What PeerSync does not read: it takes any value there, and Apple's library does not.
UNREAD = {"eligibleWinBackOfferIds"}
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def certificate(name, key, issuer, issuer_key, *, ca, path=None, marker=None, usage="", ids="sa", span=(START, END),
                digest=hashes.SHA256(), issuer_certificate=None):
    builder = (x509.CertificateBuilder()
               .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]))
               .issuer_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, issuer)]))
               .public_key(key.public_key()).serial_number(x509.random_serial_number())
               .not_valid_before(span[0]).not_valid_after(span[1]))
    if ca is not None:
        builder = builder.add_extension(x509.BasicConstraints(ca=ca, path_length=path), critical=True)
    if usage:
        builder = builder.add_extension(x509.KeyUsage(
            digital_signature="d" in usage, content_commitment=False, key_encipherment=False, data_encipherment=False,
            key_agreement=False, key_cert_sign="c" in usage, crl_sign="c" in usage, encipher_only=False,
            decipher_only=False), critical=True)
    if "s" in ids:
        builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    if "a" in ids:
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
    if marker:
        builder = builder.add_extension(
            x509.UnrecognizedExtension(x509.ObjectIdentifier(marker), b"\x05\x00"), critical=False)
    return builder.sign(issuer_key, digest)


def der(cert):
    return cert.public_bytes(serialization.Encoding.DER)


FLAWS = ["none"] * 10 + [
    "no leaf marker", "no intermediate marker", "leaf is authority", "leaf without constraints", "intermediate no CA",
    "path too long", "leaf of P-384", "leaf of P-521", "expired leaf", "future leaf", "expired intermediate",
    "no key id of issuer", "no key id", "intermediate cannot sign", "SHA-384", "leaf cannot sign", "leaf signs certificates"]


class Chain:
    def __init__(self, rng):
        self.flaw = flaw = rng.choice(FLAWS)
        curve = {"leaf of P-384": ec.SECP384R1(), "leaf of P-521": ec.SECP521R1()}.get(flaw, ec.SECP256R1())
        self.root_key, middle_key = ec.generate_private_key(ec.SECP384R1()), ec.generate_private_key(ec.SECP256R1())
        self.key = ec.generate_private_key(curve)
        past, future = (START, START + datetime.timedelta(days=30)), (END - datetime.timedelta(days=30), END)
        root = certificate("root", self.root_key, "root", self.root_key, ca=True, usage="c", ids="s")
        middle = certificate(
            "middle", middle_key, "root", self.root_key, ca=flaw != "intermediate no CA",
            path=0 if flaw != "intermediate no CA" else None,
            usage="d" if flaw in ("intermediate cannot sign", "intermediate no CA") else "c",
            marker=None if flaw == "no intermediate marker" else INTERMEDIATE,
            span=past if flaw == "expired intermediate" else (START, END))
        leaf_ca = {"leaf is authority": True, "leaf without constraints": None}.get(flaw, False)
        leaf = certificate(
            "leaf", self.key, "middle", middle_key, ca=leaf_ca,
            usage={"leaf is authority": "dc", "leaf cannot sign": "", "leaf signs certificates": "c"}.get(flaw, "d"),
            marker=None if flaw == "no leaf marker" else LEAF,
            ids={"no key id of issuer": "s", "no key id": ""}.get(flaw, "sa"),
            span={"expired leaf": past, "future leaf": future}.get(flaw, (START, END)),
            digest=hashes.SHA384() if flaw == "SHA-384" else hashes.SHA256())
        self.root = der(root)
        self.x5c = [base64.b64encode(der(c)).decode() for c in (leaf, middle, root)]
        self.verifier = SignedDataVerifier([self.root], False, Environment.SANDBOX, BUNDLE)


def signature(key, text):
    r, s = decode_dss_signature(key.sign(text, ec.ECDSA(hashes.SHA256())))
    size = 32 if key.curve.name == "secp256r1" else (key.curve.key_size + 7) // 8
    return r, s, size


def transaction(rng):
    date = rng.randrange(1735689600000, 1798761600000)
    if rng.random() < 0.1:
        date = rng.randrange(1600000000000, 1900000000000)
    ident = str(rng.randrange(10**15, 10**16))
    fields = {
        "transactionId": ident, "originalTransactionId": ident if rng.random() < 0.8 else "1",
        "bundleId": BUNDLE, "productId": rng.choice(["com.example.3months", "com.example.é", "owl\"s\\n"]),
        "purchaseDate": date - rng.randrange(10**9), "originalPurchaseDate": date - 10**9,
        "quantity": rng.randrange(1, 11), "type": rng.choice(
            ["Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription", "Future"]),
        "inAppOwnershipType": rng.choice(["PURCHASED", "FAMILY_SHARED"]), "signedDate": date,
        "environment": "Sandbox", "transactionReason": "PURCHASE", "storefront": "USA", "storefrontId": "143441",
        "price": rng.randrange(10**6), "currency": "USD", "appTransactionId": "704289572311513293"}
    for name, value in [("expiresDate", date + 10**9), ("isUpgraded", rng.random() < 0.5), ("revocationDate", date),
                        ("revocationReason", rng.randrange(2)), ("future", {"x": [1, None]}),
                        ("revocationType", rng.choice(["REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE", "FUTURE"])),
                        ("revocationPercentage", rng.randrange(100001)),
                        ("appAccountToken", "48c8b92d-ce0d-4229-bedf-e61b4f9cfc92"),
                        ("deviceVerification", "A" * 64), ("deviceVerificationNonce", "48c8b92d-ce0d-4229-bedf-e61b4f9cfc92")]:
        if rng.random() < 0.2:
            fields[name] = value
    return with_offer(fields, rng)


def with_offer(fields, rng):
    """Each field of an offer may be there without the others."""
    for name, value in [("offerType", rng.randrange(7)), ("offerIdentifier", rng.choice(["spring", "été"])),
                        ("offerDiscountType", rng.choice(PAYMENTS + ["FUTURE"]))]:
        if rng.random() < 0.4:
            fields[name] = value
    return fields


def renewal(rng):
    date = rng.randrange(1735689600000, 1798761600000)
    fields = {"originalTransactionId": str(rng.randrange(10**15)), "autoRenewProductId": rng.choice(["p", "q"]),
              "autoRenewStatus": rng.randrange(2), "signedDate": date, "environment": "Sandbox"}
    for name, value in [("productId", "p"), ("isInBillingRetryPeriod", rng.random() < 0.5), ("renewalDate", date + 5),
                        ("currency", "USD"), ("renewalPrice", rng.randrange(10**6)),
                        ("expirationIntent", rng.randrange(1, 7)), ("gracePeriodExpiresDate", date + 10**9),
                        ("priceIncreaseStatus", rng.randrange(3)), ("eligibleWinBackOfferIds", ["a", "b"])]:
        if rng.random() < 0.6:
            fields[name] = value
    return with_offer(fields, rng)


def notification(rng, chain):
    date = rng.randrange(1735689600000, 1798761600000)
    data = {"bundleId": BUNDLE, "environment": "Sandbox", "bundleVersion": "1"}
    for name, make in [("signedTransactionInfo", transaction), ("signedRenewalInfo", renewal)]:
        if rng.random() < 0.6:
            inner = make(rng)
            inner["signedDate"] = date
            data[name] = sign(chain, json.dumps(inner), header(chain), rng)
    fields = {"notificationType": rng.choice(["REFUND", "DID_RENEW", "FUTURE"]), "version": "2.0", "signedDate": date,
              "notificationUUID": "u%d" % rng.randrange(10**6), "data": data}
    if rng.random() < 0.5:
        fields["subtype"] = rng.choice(["BILLING_RECOVERY", "UPGRADE", "FUTURE"])
    return fields


def header(chain):
    return json.dumps({"alg": "ES256", "x5c": chain.x5c})


def sign(chain, payload, head, rng, flaw=None):
    text = url(head.encode()) + "." + url(payload.encode("utf-8", "surrogatepass"))
    r, s, size = signature(chain.key, text.encode())
    if flaw == "negated" and size == 32:
        s = ORDER - s
    if flaw == "zero":
        r = 0
    return text + "." + url(r.to_bytes(size, "big") + s.to_bytes(size, "big"))


def alter_fields(fields, rng):
    name = rng.choice([name for name in fields if name not in UNREAD])
    kind = rng.choice(["drop", "text", "number", "null", "negative", "huge", "float", "list", "bool", "other"])
    value = fields[name]
    if kind == "drop":
        del fields[name]
    else:
        fields[name] = {"text": str(value), "number": 7, "null": None, "negative": -5, "huge": 10**30, "float": 1.5,
                        "list": [value], "bool": True, "other": "Production"}[kind]
    return "field " + kind


def alter_json(text, rng):
    kind = rng.choice(["twice", "mark", "space", "comma", "escape", "surrogate", "list"])
    if kind == "twice":
        return kind, text[:-1] + ',"quantity":3,"quantity":4}'
    return kind, {"mark": "\ufeff" + text, "space": " " + text + "\n", "comma": text[:-1] + ",}",
                  "escape": text.replace("signedDate", "sign\\u0065dDate"),
                  "surrogate": text[:-1] + ',"x":"\\ud800"}', "list": "[" + text + "]"}[kind]


def alter_header(chain, rng):
    kind = rng.choice(["alg", "none", "two", "four", "swapped", "other root", "no third", "spaces", "tail", "crit",
                       "b64", "twice", "kid", "unknown", "empty", "flip"])
    fields = {"alg": "ES256", "x5c": list(chain.x5c)}
    if kind == "alg":
        fields["alg"] = rng.choice(["RS256", "es256", "HS256", "ES384"])
    elif kind == "none":
        fields["alg"] = "none"
    elif kind == "two":
        fields["x5c"].pop()
    elif kind == "four":
        fields["x5c"].append(chain.x5c[2])
    elif kind == "swapped":
        fields["x5c"][0], fields["x5c"][1] = fields["x5c"][1], fields["x5c"][0]
    elif kind == "other root":
        fields["x5c"][2] = chain.x5c[1]
    elif kind == "no third":
        fields["x5c"][2] = rng.choice(["", "AAAA", "no base64 at all"])
    elif kind == "spaces":
        fields["x5c"][0] = fields["x5c"][0][:64] + "\n" + fields["x5c"][0][64:]
    elif kind == "tail":
        place = rng.randrange(3)
        fields["x5c"][place] = base64.b64encode(base64.b64decode(chain.x5c[place]) + b"tail").decode()
    elif kind == "crit":
        fields["crit"] = ["exp"]
    elif kind == "b64":
        fields["b64"] = rng.random() < 0.5
    elif kind == "twice":
        return kind, json.dumps(fields)[:-1] + ',"alg":"ES256"}'
    elif kind == "kid":
        fields["kid"] = rng.choice(["key", 7])
    elif kind == "unknown":
        fields["typ"] = "JWT"
    elif kind == "empty":
        fields["x5c"] = []
    else:
        data = bytearray(base64.b64decode(chain.x5c[0]))
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        fields["x5c"][0] = base64.b64encode(bytes(data)).decode()
    return kind, json.dumps(fields)


def alter_text(text, rng):
    kind = rng.choice(["flip", "flip", "cut", "padding", "newline", "dot", "spare bits", "part swapped"])
    place = rng.randrange(len(text))
    if kind == "flip":
        digit = rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        return kind, text[:place] + digit + text[place + 1:]
    parts = text.split(".")
    return kind, {"cut": text[:place], "padding": text + "==", "newline": text + "\n",
                  "dot": text + ".", "spare bits": text[:-1] + chr(ord(text[-1]) + 1),
                  "part swapped": ".".join([parts[1], parts[0], parts[2]])}[kind]


def case(chain, rng):
    kind = rng.choices(["transaction", "renewalInfo", "notification"], [8, 1, 1])[0]
    fields = notification(rng, chain) if kind == "notification" else {"transaction": transaction, "renewalInfo": renewal}[kind](rng)
    label, flaw = "good", None
    where = rng.random()
    if 0.30 <= where < 0.45:
        label = alter_fields(fields, rng)
    payload = json.dumps(fields, ensure_ascii=rng.random() < 0.5)
    if 0.45 <= where < 0.55:
        label, payload = alter_json(payload, rng)
    head = header(chain)
    if 0.55 <= where < 0.75:
        label, head = alter_header(chain, rng)
    if 0.75 <= where < 0.80:
        label = flaw = rng.choice(["negated", "zero"])
    text = sign(chain, payload, head, rng, flaw)
    if where >= 0.80:
        label, text = alter_text(text, rng)
    asked = kind if rng.random() < 0.95 else rng.choice(["transaction", "renewalInfo", "notification"])
    return chain.flaw + " / " + label, asked, text


def plain(value, names):
    return {name: getattr(value, name) for name in names}


def known(text, words):
    """Words of a later version are passed over."""
    return text if text in words else None


def offer(value):
    """Without its type there is no offer."""
    if value.rawOfferType is None:
        return {}
    return {"offerType": value.rawOfferType, "offerIdentifier": value.offerIdentifier,
            "offerDiscountType": known(value.rawOfferDiscountType, PAYMENTS)}


def decoded_transaction(value):
    fields = plain(value, ["transactionId", "originalTransactionId", "productId", "bundleId", "purchaseDate",
                           "signedDate", "revocationDate", "revocationPercentage", "expiresDate", "price", "currency",
                           "storefront", "appAccountToken"])
    # What is left out has a meaning as well.
    fields.update(environment=value.rawEnvironment, type=TYPES.get(value.rawType),
                  quantity=1 if value.quantity is None else value.quantity, isUpgraded=bool(value.isUpgraded),
                  inAppOwnershipType=value.rawInAppOwnershipType or "PURCHASED",
                  revocationReason=value.rawRevocationReason, revocationType=known(value.rawRevocationType, REVOCATIONS))
    return {**fields, **offer(value)}


def decoded_renewal(value):
    fields = plain(value, ["originalTransactionId", "productId", "autoRenewProductId", "gracePeriodExpiresDate",
                           "renewalDate", "renewalPrice", "currency", "signedDate"])
    fields.update(environment=value.rawEnvironment, autoRenewStatus=value.rawAutoRenewStatus,
                  expirationIntent=value.rawExpirationIntent, priceIncreaseStatus=value.rawPriceIncreaseStatus,
                  isInBillingRetryPeriod=bool(value.isInBillingRetryPeriod))
    return {**fields, **offer(value)}


def decoded_notification(value):
    fields = plain(value, ["notificationUUID", "signedDate"])
    fields.update(notificationType=value.rawNotificationType, subtype=value.rawSubtype, bundleId=value.data.bundleId,
                  environment=value.data.rawEnvironment, signedTransactionInfo=value.data.signedTransactionInfo,
                  signedRenewalInfo=value.data.signedRenewalInfo)
    return fields


def decoded(asked, value):
    fields = {"transaction": decoded_transaction, "renewalInfo": decoded_renewal,
              "notification": decoded_notification}[asked](value)
    return {name: field for name, field in fields.items() if field is not None}


def verdict(chain, asked, text):
    verify = {"transaction": chain.verifier.verify_and_decode_signed_transaction,
              "renewalInfo": chain.verifier.verify_and_decode_renewal_info,
              "notification": chain.verifier.verify_and_decode_notification}[asked]
    try:
        return True, decoded(asked, verify(text))
    except Exception:
        return False, None


def work(argument):
    count, seed = argument
    rng = random.Random(seed)
    lines, chain = [], None
    for number in range(count):
        if number % 40 == 0:
            chain = Chain(rng)
        label, asked, text = case(chain, rng)
        accepted, fields = verdict(chain, asked, text)
        lines.append(json.dumps({"case": label, "asked": asked, "text": text, "accepted": accepted, "fields": fields,
                                 "root": base64.b64encode(chain.root).decode()}))
    return lines


if __name__ == "__main__":
    count, seed, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    parts = 20
    with multiprocessing.Pool(2) as pool, open(path, "w") as file:
        for lines in pool.imap(work, [(count // parts, seed * parts + part) for part in range(parts)]):
            file.write("\n".join(lines) + "\n")
        # Left to itself the pool would end them by a signal, which processes that a thread of Dispatch has started may have blocked.
        pool.close()
        pool.join()
