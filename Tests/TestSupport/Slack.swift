extension Duration {
  /// What a machine that is busy with all the other tests may add to how long something takes.
  package static let slack = Duration.seconds(20)
}
