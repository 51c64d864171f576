/// The page at `GET /`: shows the device live, and lets a person do what the device can do. It holds no secret itself; the reader gives the token, in the form or
/// behind the `#` of the address, where no server sees it.
enum Dashboard {
  static let page = Page(
    html: PackageResources.page_html, style: PackageResources.style_css, script: PackageResources.script_js)
}
