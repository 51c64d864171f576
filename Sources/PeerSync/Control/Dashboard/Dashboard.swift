/// The page at `GET /`: shows the device live. It holds no secret itself; the reader gives the token, in the form or
/// behind the `#` of the address, where no server sees it.
enum Dashboard {
  /// - Parameter nonce: never given before: by it the page's policy knows its own script and style
  static func response(nonce: String) -> HTTPResponse {
    var response = HTTPResponse.text(
      template.replacing("{nonce}", with: nonce), type: "text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] =
      "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    return response
  }

  /// The page with its style and its script in it; `{nonce}` stands where the nonce belongs.
  private static let template = text(PackageResources.page_html)
    .replacing("{style}", with: text(PackageResources.style_css))
    .replacing("{script}", with: text(PackageResources.script_js))

  /// A file without the line feed at its end.
  private static func text(_ file: [UInt8]) -> String { String(decoding: file.dropLast(), as: UTF8.self) }
}
