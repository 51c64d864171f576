/// A page with its style and its script in it, which takes nothing from anywhere else. Those of the folder `Pages` come first: all
/// pages are made of them.
package struct Page: Sendable {
  private let template: String

  /// - Parameters:
  ///   - html: with `{style}` and `{script}` where these belong, and `{nonce}` where the nonce does
  ///   - style, script: files, each ends with a line feed
  package init(html: [UInt8], style: [UInt8], script: [UInt8]) {
    let (styles, scripts) = (
      [PackageResources.parts_css, style], [PackageResources.dom_js, PackageResources.parts_js, script]
    )
    template = Self.text(html)
      .replacing("{style}", with: styles.map(Self.text).joined(separator: "\n"))
      .replacing("{script}", with: scripts.map(Self.text).joined(separator: "\n"))
  }

  /// - Parameter nonce: never given before: by it the page's policy knows its own script and style (Content Security Policy
  ///   Level 3)
  package func response(nonce: String) -> HTTPResponse {
    var response = HTTPResponse.text(
      template.replacing("{nonce}", with: nonce), type: "text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] =
      "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    return response
  }

  /// A file without the line feed at its end.
  private static func text(_ file: [UInt8]) -> String { String(decoding: file.dropLast(), as: UTF8.self) }
}
