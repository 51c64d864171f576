import Testing

extension Trait where Self == TimeLimitTrait {
  /// Ends a test that hangs. All tests begin at once, and wait for processors and turns while this time runs: it is about
  /// the whole run, not about how long one test takes.
  package static var noHang: Self { .timeLimit(.minutes(Sanitizer.isOn ? 60 : 20)) }
}
