extension AbuseCase {
  /// Every case, by what it tries.
  static let all = names + sites + tokens + bodies + smuggling + lines + targets + sizes

  /// Other names for the port: DNS rebinding.
  private static let names = [
    AbuseCase("host of another name", request(host: "Host: evil.example:PORT\r\n"), [403]),
    AbuseCase("host without a port", request(host: "Host: 127.0.0.1\r\n"), [403]),
    AbuseCase("host with another port", request(host: "Host: 127.0.0.1:1\r\n"), [403]),
    AbuseCase("host with a padded port", request(host: "Host: 127.0.0.1:0PORT\r\n"), [403]),
    AbuseCase("host with user info", request(host: "Host: evil.example@127.0.0.1:PORT\r\n"), [403]),
    AbuseCase("host behind user info", request(host: "Host: 127.0.0.1:PORT@evil.example\r\n"), [403]),
    AbuseCase("host with a final dot", request(host: "Host: localhost.:PORT\r\n"), [403]),
    AbuseCase("host as a short address", request(host: "Host: 127.1:PORT\r\n"), [403]),
    AbuseCase("host as a number", request(host: "Host: 2130706433:PORT\r\n"), [403]),
    AbuseCase("host as a mapped address", request(host: "Host: [::ffff:127.0.0.1]:PORT\r\n"), [403]),
    AbuseCase("host under a wildcard", request(host: "Host: 127.0.0.1.evil.example:PORT\r\n"), [403]),
    AbuseCase("no host", request(host: ""), [400], [403]),
    AbuseCase("no host in HTTP/1.0", request(host: "", version: "HTTP/1.0"), [403]),
    AbuseCase("an empty host", request(host: "Host:\r\n"), [403]),
    AbuseCase("two hosts", request(more: "Host: evil.example\r\n"), [400], [403]),
    AbuseCase("the same host twice", request(more: "Host: 127.0.0.1:PORT\r\n"), [400], [403]),
    AbuseCase("host and a list", request(host: "Host: 127.0.0.1:PORT, evil.example\r\n"), [403]),
    AbuseCase("host with a NUL", request(host: "Host: 127.0.0.1:PORT\0.evil.example\r\n"), [400]),
    AbuseCase(
      "another host forwarded", request(host: "Host: evil.example\r\nX-Forwarded-Host: 127.0.0.1:PORT\r\n"),
      [403]),
    AbuseCase(
      "open paths under another name", request("/healthz", host: "Host: evil.example:PORT\r\n"), [403]),
  ]

  /// Pages of other sites.
  private static let sites = [
    AbuseCase("a foreign origin", request(more: "Origin: http://evil.example\r\n"), [403]),
    AbuseCase("no origin of its own", request(more: "Origin: null\r\n"), [403]),
    AbuseCase("an empty origin", request(more: "Origin:\r\n"), [403]),
    AbuseCase("the origin of another port", request(more: "Origin: http://127.0.0.1:1\r\n"), [403]),
    AbuseCase("the origin in another scheme", request(more: "Origin: https://127.0.0.1:PORT\r\n"), [403]),
    AbuseCase("the origin of another own name", request(more: "Origin: http://localhost:PORT\r\n"), [403]),
    AbuseCase(
      "two origins", request(more: "Origin: http://127.0.0.1:PORT\r\nOrigin: http://evil.example\r\n"), [400]),
    AbuseCase("cross-site", request(more: "Sec-Fetch-Site: cross-site\r\n"), [403]),
    AbuseCase("same-site", request(more: "Sec-Fetch-Site: same-site\r\n"), [403]),
    AbuseCase("cross-site in capitals", request(more: "SEC-FETCH-SITE: CROSS-SITE\r\n"), [403]),
    AbuseCase(
      "cross-site beside same-origin",
      request(more: "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n"), [400]),
    AbuseCase("a cross-site change", change(more: "Sec-Fetch-Site: cross-site\r\n"), [403]),
    AbuseCase(
      "a preflight",
      request(
        "/v1/values/x", method: "OPTIONS", token: "",
        more: "Origin: http://evil.example\r\nAccess-Control-Request-Method: PUT\r\n"), [403]),
    AbuseCase(
      "a page that is opened cross-site", request("/", token: "", more: "Sec-Fetch-Site: cross-site\r\n"),
      [403]),
  ]

  private static let tokens = [
    AbuseCase("no token", request(token: ""), [401]),
    AbuseCase("an empty token", request(token: "Authorization: Bearer \r\n"), [401]),
    AbuseCase("a token cut short", request(token: "Authorization: Bearer TOKE\r\n"), [401]),
    AbuseCase("a token with more behind it", request(token: "Authorization: Bearer TOKENa\r\n"), [401]),
    AbuseCase("a token after two blanks", request(token: "Authorization: Bearer  TOKEN\r\n"), [401]),
    AbuseCase("the token under another scheme", request(token: "Authorization: Basic TOKEN\r\n"), [401]),
    AbuseCase("the token alone", request(token: "Authorization: TOKEN\r\n"), [401]),
    AbuseCase("the token in the query", request("/v1/status?token=TOKEN", token: ""), [401]),
    AbuseCase("the token in a cookie", request(token: "Cookie: token=TOKEN\r\n"), [401]),
    AbuseCase(
      "two tokens", request(token: "Authorization: Bearer wrong\r\nAuthorization: Bearer TOKEN\r\n"), [400]),
    AbuseCase("a token with a NUL", request(token: "Authorization: Bearer TOKEN\0x\r\n"), [400]),
    AbuseCase("an open path with more slashes", request("//", token: ""), [401]),
    AbuseCase("a change without a token", change(token: ""), [401]),
  ]

  private static let bodies = [
    AbuseCase("a form", change(type: "application/x-www-form-urlencoded"), [415]),
    AbuseCase("a form with a file", change(type: "multipart/form-data; boundary=x"), [415]),
    AbuseCase("JSON as text", change(type: "text/plain"), [415]),
    AbuseCase("JSON under a longer name", change(type: "application/jsonp"), [415]),
    AbuseCase("two types", change(more: "Content-Type: text/plain\r\n"), [400]),
    AbuseCase("a type in a list", change(type: "application/json, text/plain"), [415]),
    AbuseCase(
      "no type", request("/v1/values/x", method: "PUT", more: "Content-Length: 2\r\n", body: "{}"), [415]),
    AbuseCase(
      "no body", request("/v1/values/x", method: "PUT", more: "Content-Length: 0\r\n"), [400]),
    AbuseCase(
      "no JSON", smuggled("Content-Length: 5\r\n", "hello"), [400]),
    AbuseCase(
      "JSON nested deeply",
      smuggled("Content-Length: 20000\r\n", String(repeating: "[", count: 20_000)), [400]),
    AbuseCase(
      "a field twice", smuggled("Content-Length: 25\r\n", "{\"value\":\"a\",\"value\":\"b\"}"), [400]),
    AbuseCase(
      "a field twice, once with an escape",
      smuggled("Content-Length: 30\r\n", "{\"value\":\"a\",\"v\\u0061lue\":\"b\"}"), [400]),
    AbuseCase("a field unknown", smuggled("Content-Length: 21\r\n", "{\"value\":\"a\",\"x\":\"b\"}"), [400]),
    AbuseCase("a byte order mark", smuggled("Content-Length: 16\r\n", "\u{feff}{\"value\":\"a\"}"), [400]),
    AbuseCase("half a surrogate pair", smuggled("Content-Length: 18\r\n", "{\"value\":\"\\ud800\"}"), [400]),
    AbuseCase(
      "a body that is not taken",
      request(
        "/v1/invitations", method: "POST", more: "Content-Type: application/json\r\nContent-Length: 7\r\n",
        body: "{\"a\":1}"), [400]),
    AbuseCase(
      "another method in a header",
      request("/v1/values/x", more: "X-HTTP-Method-Override: PUT\r\nX-Method-Override: PUT\r\n"), [404]),
    AbuseCase(
      "another method in the query", request("/v1/values/x?_method=PUT"), [404]),
    AbuseCase(
      "a change by GET",
      request(
        "/v1/purchases", more: "Content-Type: application/json\r\nContent-Length: 2\r\n", body: "{}"), [405]),
    AbuseCase(
      "a change by HEAD", request("/v1/invitations", method: "HEAD"), [405]),
  ]
}
