// What every target needs. A target is one file in Targets: it says what it checks, and exports the function that libFuzzer
// calls. Its seeds are in Corpus, in the folder of its name.

/// The bytes that the fuzzer made.
func input(_ data: UnsafePointer<UInt8>?, _ size: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: data, count: size))
}

/// Ends the run with a message when something that must hold does not; the fuzzer then keeps the input.
func check(_ holds: Bool, _ problem: @autoclosure () -> String) {
  if !holds { fatalError(problem()) }
}
