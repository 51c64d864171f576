/// The page at `GET /`: shows the device live. It holds no secret itself; the reader gives the token, in the form or
/// behind the `#` of the address, where no server sees it.
enum Dashboard {
  static var response: HTTPResponse {
    let nonce = hexadecimal(UInt64.random(in: .min ... .max))
    var response = HTTPResponse.text(page(nonce: nonce), type: "text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] =
      "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    return response
  }

  private static func page(nonce: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>PeerSync</title>
    <style nonce="\(nonce)">\(style)</style>
    </head>
    <body>
    <main>
    <h1 id="name" tabindex="-1">PeerSync</h1>
    <p id="state" role="status" aria-live="polite">Not connected.</p>
    <form id="form"><label for="token">Token (in api.json in the data directory)</label>
    <input id="token" type="password" autocomplete="off" required> <button>Show</button></form>
    <div id="content" hidden>
    <h2>Entitlements</h2><table><thead><tr><th scope="col">Entitlement</th><th scope="col">State</th>
    <th scope="col">Expires</th><th scope="col">Because</th></tr></thead><tbody id="entitlements"></tbody></table>
    <h2>Lines</h2><table><thead><tr><th scope="col">Line</th><th scope="col">State</th><th scope="col">Expires</th>
    <th scope="col">Days left</th></tr></thead><tbody id="lines"></tbody></table>
    <h2>Subscriptions</h2><table><thead><tr><th scope="col">Subscription</th><th scope="col">State</th>
    <th scope="col">Access until</th><th scope="col">Renews</th></tr></thead><tbody id="subscriptions"></tbody></table>
    <h2>Credits</h2><table><thead><tr><th scope="col">Credit</th><th scope="col">Balance</th>
    <th scope="col">Spendable here at once</th><th scope="col">Debt</th></tr></thead><tbody id="credits"></tbody></table>
    <h2>Devices</h2><table><thead><tr><th scope="col">Device</th><th scope="col">Connected</th>
    <th scope="col">In sync</th><th scope="col">Address</th></tr></thead><tbody id="peers"></tbody></table>
    <h2>Digest</h2><p><code id="digest"></code></p>
    <ul id="warnings"></ul>
    </div>
    </main>
    <script nonce="\(nonce)">\(script)</script>
    </body>
    </html>
    """
  }

  private static let style = """
    :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
    main { max-width: 60rem; margin: 0 auto; padding: 1rem }
    table { border-collapse: collapse; width: 100% }
    th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8886 }
    h1, p, td, li { overflow-wrap: anywhere } td:nth-child(2) { overflow-wrap: normal }
    input { font: inherit; width: min(30rem, 100%); box-sizing: border-box } button { font: inherit }
    .old { opacity: .6 }
    @media (max-width: 30rem) { table { font-size: .8rem } th, td { padding-right: .4rem } }
    @media (max-width: 22rem) { td:nth-child(2) { overflow-wrap: anywhere } }
    """

  private static let script = """
    "use strict";
    const element = id => document.getElementById(id);
    const time = text => text ? new Date(text).toLocaleString() + " (" + text + ")" : "–";
    const rows = (id, items, cells) => element(id).replaceChildren(...items.map(item => {
      const row = document.createElement("tr");
      for (const text of cells(item)) row.insertCell().textContent = text;
      return row;
    }));
    function show(status) {
      element("name").textContent = status.device.name;
      element("state").textContent = (status.online ? "Online" : "Offline") + ", " + status.device.environment
        + ", " + status.group.members + " device(s) in the group.";
      const state = item => item.active ? "active" : "inactive";
      rows("entitlements", status.entitlements, e => [e.id, state(e), time(e.expires), e.because]);
      rows("lines", status.lines, l => [l.id, state(l), time(l.expires), l.daysRemaining]);
      const renews = s => s.willRenew === null ? "not known" : s.willRenew ? "as " + (s.nextProductId ?? s.productId) : "no";
      rows("subscriptions", status.subscriptions, s => [s.productId, s.state, time(s.accessUntil), renews(s)]);
      rows("credits", status.credits, c => [c.id, c.balance, c.available, c.debt]);
      rows("peers", status.peers, p => [p.name, p.connected ? "yes" : "no", p.inSync ? "yes" : "no", p.address ?? "–"]);
      element("digest").textContent = status.digest;
      element("warnings").replaceChildren(...status.warnings.map(text => {
        const item = document.createElement("li");
        item.textContent = text;
        return item;
      }));
      element("content").hidden = false;
      element("content").classList.remove("old");
    }
    // Without what the browser says of it.
    const or = (message, promise) => promise.catch(() => { throw new Error(message); });
    function refuse() {
      sessionStorage.removeItem("token");
      throw new Error("the token is wrong");
    }
    async function follow(token, signal) {
      // No header takes other characters.
      if (!/^[!-~]+$/.test(token)) refuse();
      const headers = { Authorization: "Bearer " + token };
      const answer = await or("the daemon cannot be reached", fetch("/v1/events", { headers, signal }));
      if (answer.status === 401) refuse();
      if (!answer.ok) throw new Error("the daemon answered " + answer.status);
      sessionStorage.setItem("token", token);
      const form = element("form");
      const hasFocus = form.contains(document.activeElement);
      form.reset();
      form.hidden = true;
      if (hasFocus) element("name").focus();
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await or("the daemon has stopped", reader.read());
        if (done) throw new Error("the daemon has stopped");
        const events = (rest + value).split("\\n\\n");
        rest = events.pop();
        for (const event of events) {
          const data = event.split("\\n").find(line => line.startsWith("data: "));
          if (data) show(JSON.parse(data.slice(6)).status);
        }
      }
    }
    let attempt = new AbortController();
    function begin(token) {
      attempt.abort();
      attempt = new AbortController();
      const { signal } = attempt;
      follow(token, signal).catch(error => {
        // Another one has taken its place.
        if (signal.aborted) return;
        const isShown = !element("content").hidden;
        element("state").textContent = "Not connected: " + error.message + "."
          + (isShown ? " What is shown here is old." : "");
        element("content").classList.add("old");
        element("form").hidden = false;
      });
    }
    function takeGiven() {
      const given = location.hash.slice(1);
      if (given) history.replaceState(null, "", location.pathname);
      return given;
    }
    element("form").addEventListener("submit", event => { event.preventDefault(); begin(element("token").value.trim()); });
    addEventListener("hashchange", () => { const given = takeGiven(); if (given) begin(given); });
    const token = takeGiven() || sessionStorage.getItem("token");
    if (token) begin(token);
    """
}
