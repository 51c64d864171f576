import Dispatch

/// Something to be done on a queue after a while, unless the value goes away before.
final class Delay {
  private let timer: any DispatchSourceTimer

  init(milliseconds: Int, on queue: DispatchQueue, _ body: @escaping () -> Void) {
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + .milliseconds(milliseconds), leeway: .milliseconds(milliseconds / 20))
    timer.setEventHandler(handler: body)
    timer.activate()
  }

  deinit { timer.cancel() }
}
