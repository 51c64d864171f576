import PeerSync
import PeerSyncControl
import PeerSyncSimulation

/// What the laboratory's page asks for.
struct LabAPI: Sendable {
  let laboratory: Laboratory
  private let policy: AccessPolicy
  private let draw: @Sendable () -> UInt64

  /// A line of a story, to be played.
  struct LineBody: Codable, Sendable {
    let line: String
  }

  /// A story, to be opened.
  struct StoryBody: Codable, Sendable {
    let name: String
    let story: String
  }

  /// - Parameters:
  ///   - token: what each request has to bring along, but for the page itself
  ///   - draw: draws a random number
  init(_ laboratory: Laboratory, token: String, draw: @escaping @Sendable () -> UInt64) {
    self.laboratory = laboratory
    self.draw = draw
    policy = AccessPolicy(token: token)
  }

  /// What an ``HTTPServer`` serves.
  var application: HTTPApplication {
    HTTPApplication {
      LabAPI.table.receive($0, for: self, policy, see: "docs/lab.md", problem: LabAPI.problem)
    }
  }

  private static func problem(_ error: any Error) -> Problem {
    guard let error = error as? ScenarioError else { return Problem(of: error) }
    return Problem(.invalidValue, error.problem.told)
  }

  private static let page = Page(
    html: PackageResources.page_html, style: PackageResources.style_css,
    script: PackageResources.words_js + PackageResources.script_js)

  private static let table = EndpointTable<LabAPI>(
    [
      .get("/", "The page", sends: .media("text/html"), isOpen: true) { api, _ in
        page.response(nonce: hexadecimal(api.draw()))
      },
      .get("/v1/lab", "How things stand") { api, _ in api.laboratory.board.now.state },
      .get("/v1/lab/events", "How things stand, now and after every change", sends: .events(["State"])) {
        api, call in
        let reader = call.head.parameter("language").flatMap { Reader(language: $0, zone: "UTC") }
        return api.events(for: reader)
      },
      .get("/v1/lab/story", "What was done and is seen, as a story", sends: .media("text/plain")) { api, _ in
        .text(try await api.laboratory.recording(), type: "text/plain; charset=utf-8")
      },
      .get(
        "/v1/lab/devices/{name}", "What a device answers to a question of its control API, named by `path`",
        sends: .media("application/json")
      ) { api, call in
        do {
          let path = call.head.parameter("path") ?? ""
          let answer = try await api.laboratory.answer(of: call.name, to: path)
          return HTTPResponse(contentType: "application/json", body: .bytes(answer))
        } catch ControlError.problem(let problem) { return problem.response } catch let error as ControlError
        {
          return Problem(.unreachable, error.told).response
        }
      },
      Endpoint(
        "POST", "/v1/lab/replays", "Play that story with new devices, in virtual time and by real processes",
        takes: .nothing
      ) { api, _ in try await api.laboratory.replay() },
      Endpoint("POST", "/v1/lab/lines", "Play a line of a story", takes: .json(LineBody.self)) { api, call in
        try await api.laboratory.play(call.body.line)
        return api.laboratory.board.now.state
      },
      .get("/v1/lab/stories", "The stories that come with peerd") { _, _ in LabStories().entries },
      .get("/v1/lab/stories/{name}", "One of them", sends: .media("application/json")) { _, call in
        .json(try LabStories().text(call.name))
      },
      Endpoint(
        "POST", "/v1/lab/rehearsals", "What devices show after each line of a story, in virtual time",
        takes: .json(StoryBody.self)
      ) { api, call in try await api.laboratory.open(call.body.story, named: call.body.name) },
      // JSON may take two bytes for one of a story.
    ], bodyBytes: 2 * LabStories.bytes)

  private func events(for reader: Reader?) -> HTTPResponse {
    let events = laboratory.board.changes.map { revision, state in
      let state = reader.map(state.told(to:)) ?? state
      return ServerSentEvent(
        id: "\(revision)", name: "state", data: String(decoding: JSON.encode(state), as: UTF8.self))
    }
    return HTTPResponse(contentType: "text/event-stream", body: .events(events))
  }
}
