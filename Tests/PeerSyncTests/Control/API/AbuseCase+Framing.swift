import PeerSyncControl

// Requests that two readers could understand in two ways, and lines, targets and sizes that nobody should send.
extension AbuseCase {
  /// Where a body ends is said twice, or wrongly. Whatever hides in it must not be answered as a request of its own.
  static let smuggling = [
    AbuseCase(
      "a length and chunks",
      smuggled("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + hidden),
      [400]),
    AbuseCase(
      "chunks and a length",
      smuggled("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n" + hidden),
      [400]),
    AbuseCase("two lengths", smuggled("Content-Length: 2\r\nContent-Length: 0\r\n", "{}" + hidden), [400]),
    AbuseCase("the same length twice", smuggled("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), [400]),
    AbuseCase("a list of lengths", smuggled("Content-Length: 2, 2\r\n", "{}" + hidden), [400]),
    AbuseCase("a negative length", smuggled("Content-Length: -1\r\n", "{}" + hidden), [400]),
    AbuseCase("a signed length", smuggled("Content-Length: +2\r\n", "{}" + hidden), [400]),
    AbuseCase("a hexadecimal length", smuggled("Content-Length: 0x2\r\n", "{}" + hidden), [400]),
    AbuseCase(
      "a length beyond all numbers", smuggled("Content-Length: 99999999999999999999999\r\n", "{}"), [400],
      [413]),
    AbuseCase(
      "a length that wraps around", smuggled("Content-Length: 18446744073709551618\r\n", "{}" + hidden),
      [400], [413]),
    AbuseCase("an empty length", smuggled("Content-Length:\r\n", "{}" + hidden), [400]),
    AbuseCase("a coding unknown", smuggled("Transfer-Encoding: gzip\r\n", "0\r\n\r\n" + hidden), [411]),
    AbuseCase(
      "a coding listed", smuggled("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n" + hidden), [411]),
    AbuseCase(
      "a coding twice", smuggled("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      [400]),
    AbuseCase(
      "a coding with a tab", smuggled("Transfer-Encoding:\tchunked\r\nContent-Length: 2\r\n", "{}" + hidden),
      [400]),
    AbuseCase(
      "a coding after a blank", smuggled("Transfer-Encoding : chunked\r\n", "0\r\n\r\n" + hidden), [400]),
    AbuseCase(
      "a huge chunk", smuggled("Transfer-Encoding: chunked\r\n", "ffffffffffffffff\r\n{}\r\n" + hidden), [411]
    ),
    AbuseCase(
      "a chunk beyond all numbers",
      smuggled("Transfer-Encoding: chunked\r\n", "fffffffffffffffff0\r\n{}" + hidden), [411]),
    AbuseCase(
      "a chunk of no size", smuggled("Transfer-Encoding: chunked\r\n", "\r\n{}\r\n0\r\n\r\n" + hidden), [411]),
    AbuseCase(
      "a negative chunk", smuggled("Transfer-Encoding: chunked\r\n", "-1\r\n{}\r\n0\r\n\r\n" + hidden), [411]),
    AbuseCase(
      "a chunk that ends wrongly", smuggled("Transfer-Encoding: chunked\r\n", "2\r\n{}xx0\r\n\r\n" + hidden),
      [411]),
    AbuseCase(
      "chunks in HTTP/1.0",
      request(
        "/v1/values/x", method: "PUT",
        more: "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n", body: "0\r\n\r\n" + hidden,
        version: "HTTP/1.0"), [411]),
    AbuseCase(
      "a chunk with an extension",
      smuggled("Transfer-Encoding: chunked\r\n", "2;a=b\r\n{}\r\n0\r\n\r\n" + hidden), [411]),
    AbuseCase(
      "a chunk without carriage returns", smuggled("Transfer-Encoding: chunked\r\n", "2\n{}\n0\n\n" + hidden),
      [411]),
    AbuseCase(
      "a trailer", smuggled("Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\nHost: x\r\n\r\n" + hidden),
      [411]),
    AbuseCase("a request behind one refused for its body", change(token: "") + hidden, [401]),
    AbuseCase("a body that never comes", smuggled("Content-Length: 100\r\n", "{}"), []),
  ]

  /// Lines of the head.
  static let lines = [
    AbuseCase(
      "a folded header", request(host: "Host: evil.example\r\n 127.0.0.1:PORT\r\n"), [400]),
    AbuseCase("a folded first header", request(host: " Host: 127.0.0.1:PORT\r\n"), [400]),
    AbuseCase("a header without a colon", request(host: "Host 127.0.0.1:PORT\r\n"), [400]),
    AbuseCase("a blank before the colon", request(host: "Host : 127.0.0.1:PORT\r\n"), [400]),
    AbuseCase(
      "a carriage return alone", request(host: "Host: evil.example\rHost: 127.0.0.1:PORT\r\n"), [400],
      [403]),
    AbuseCase("no version", "GET /v1/status\r\n\r\n", [400]),
    AbuseCase("a version of long ago", request(version: "HTTP/0.9"), [400]),
    AbuseCase("a version to come", request(version: "HTTP/2.0"), [400]),
    AbuseCase("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400]),
    AbuseCase("a TLS hello", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\r\n\r\n", [400]),
    AbuseCase("a method unknown", request(method: "STEAL"), [405]),
    AbuseCase("a method in small letters", request(method: "get"), [405]),
    AbuseCase("TRACE", request(method: "TRACE"), [405]),
    AbuseCase("CONNECT", request("127.0.0.1:PORT", method: "CONNECT"), [400], [404], [405]),
    AbuseCase("OPTIONS for all", request("*", method: "OPTIONS"), [400], [404]),
    AbuseCase("nothing", "", []),
    AbuseCase("empty lines", String(repeating: "\r\n", count: 5_000), [400]),
    AbuseCase("one empty line before", "\r\n" + request("/nowhere"), [400]),
    AbuseCase("a second request behind the first", request("/nowhere") + hidden, [404]),
    AbuseCase("a HEAD that is refused", request(method: "HEAD", more: "X: y\n"), [400]),
    AbuseCase("lines without carriage returns", request("/nowhere").replacing("\r\n", with: "\n"), [400]),
    AbuseCase("one line without a carriage return", request("/nowhere", more: "X: y\n"), [400]),
    AbuseCase("a NUL in the method", request("/nowhere", method: "GE\0T"), [400]),
    AbuseCase("a NUL in a name", request("/nowhere", more: "X-\0A: b\r\n"), [400]),
    AbuseCase("a NUL in a value", request("/nowhere", more: "X-A: b\0c\r\n"), [400]),
    AbuseCase("a bell in a value", request("/nowhere", more: "X-A: b\u{7}c\r\n"), [400]),
    AbuseCase("a header folded with a tab", request("/nowhere", more: "X-A: b\r\n\tc\r\n"), [400]),
    AbuseCase("a header folded to nothing", request("/nowhere", more: "X-A: b\r\n \r\n"), [400]),
  ]

  /// What is asked for.
  static let targets = [
    AbuseCase("a whole URL", request("http://127.0.0.1:PORT/v1/status"), [400], [404]),
    AbuseCase("a whole URL of another host", request("http://evil.example/v1/status"), [400], [403], [404]),
    AbuseCase("a way up", request("/v1/../v1/status"), [404]),
    AbuseCase("a way up out of an open path", request("/healthz/../v1/status", token: ""), [401]),
    AbuseCase("a way up, escaped", request("/%2e%2e/%2e%2e/etc/passwd"), [404]),
    AbuseCase("escaped slashes", request("/v1%2Fstatus"), [404]),
    AbuseCase("more slashes", request("//v1///status"), [404]),
    AbuseCase("a slash at the end", request("/v1/status/"), [404]),
    AbuseCase("a NUL in the path", request("/healthz\0/v1/status", token: ""), [400]),
    AbuseCase("a blank in the path", request("/healthz /v1/status", token: ""), [400]),
    AbuseCase("a NUL escaped", request("/v1/values/a%00b"), [400], [404]),
    AbuseCase("an escape cut short", request("/v1/values/a%2"), [404]),
    AbuseCase("an escape that is not UTF-8", request("/v1/values/%ff%fe"), [404]),
    AbuseCase("a fragment", request("/v1/status#x"), [400], [404]),
    AbuseCase("no slash at the beginning", request("v1/status"), [400], [404]),
  ]

  private static let long = String(repeating: "x", count: 32 * 1024)
  private static let large = String(repeating: " ", count: HTTPLimits.bodyBytes + 1)

  /// Too much.
  static let sizes = [
    AbuseCase("a long target", request("/v1/values/\(long)"), [431]),
    AbuseCase("a long header", request(more: "X-Long: \(long)\r\n"), [431]),
    AbuseCase("a long name of a header", request(more: "\(long): x\r\n"), [431]),
    AbuseCase(
      "thousands of headers", request(more: String(repeating: "A: b\r\n", count: 5_000)), [431]),
    AbuseCase(
      "a few too many headers", request(more: String(repeating: "A: b\r\n", count: HTTPLimits.headNames)),
      [431]),
    AbuseCase(
      "a few too many parameters",
      request("/nowhere?" + String(repeating: "a&", count: HTTPLimits.headNames)), [431]),
    AbuseCase(
      "a few too many cookies",
      request(more: "Cookie: \(String(repeating: "a=b;", count: HTTPLimits.headNames))\r\n"), [431]),
    AbuseCase(
      "as many names as may be, and long",
      request(
        "/nowhere?" + String(repeating: "a&", count: 60),
        more: String(repeating: "A: b\r\n", count: 60)
          + "Cookie: \(String(repeating: "a=b;", count: 60))c=\(String(repeating: "x", count: 15_000))\r\n"),
      [404]),
    AbuseCase("a long method", request(method: long), [431]),
    AbuseCase(
      "a large body", smuggled("Content-Length: \(large.utf8.count)\r\n", large), [413]),
    AbuseCase(
      "a large body in chunks",
      smuggled(
        "Transfer-Encoding: chunked\r\n", "\(String(large.utf8.count, radix: 16))\r\n\(large)\r\n0\r\n\r\n"),
      [411]),
    AbuseCase(
      "a huge body announced",
      smuggled("Content-Length: 1099511627776\r\nExpect: 100-continue\r\n", ""), [413]),
    AbuseCase("another expectation", smuggled("Content-Length: 2\r\nExpect: tea\r\n", "[]"), [400], [417]),
    AbuseCase(
      "a change of protocol", request("/v1/values/x", more: "Connection: Upgrade\r\nUpgrade: h2c\r\n"), [404]),
  ]
}
