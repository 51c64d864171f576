import PeerSync

/// The program's entry point.
@main
enum Main {
  static func main() {}
}
