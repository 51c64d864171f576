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
    <h1 id="name">PeerSync</h1>
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
    input { font: inherit; width: min(30rem, 100%) } button { font: inherit }
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
    }
    async function follow(token) {
      const answer = await fetch("/v1/events", { headers: { Authorization: "Bearer " + token } });
      if (answer.status === 401) { sessionStorage.removeItem("token"); throw new Error("the token is wrong"); }
      if (!answer.ok) throw new Error("the daemon answered " + answer.status);
      element("form").hidden = true;
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) throw new Error("the daemon has stopped");
        const events = (rest + value).split("\\n\\n");
        rest = events.pop();
        for (const event of events) {
          const data = event.split("\\n").find(line => line.startsWith("data: "));
          if (data) show(JSON.parse(data.slice(6)).status);
        }
      }
    }
    function begin(token) {
      sessionStorage.setItem("token", token);
      follow(token).catch(error => {
        element("state").textContent = "Not connected: " + error.message + ".";
        element("form").hidden = false;
      });
    }
    element("form").addEventListener("submit", event => { event.preventDefault(); begin(element("token").value.trim()); });
    const given = location.hash.slice(1);
    if (given) history.replaceState(null, "", location.pathname);
    const token = given || sessionStorage.getItem("token");
    if (token) begin(token);
    """
}
