/// A catalogue file, read: peerd's own JSON or an Xcode `.storekit` file of the versions 1 to 5, told apart by content.
public struct CatalogueFile: Equatable, Sendable {
  /// What it states; an entry of a product that has a date, with what the entry before says besides.
  public var catalogue: Catalogue { stated.filled }
  /// What it states itself.
  private let stated: Catalogue
  /// One sentence for each field that was ignored, once for each path.
  public var warnings: [String] { told.map { $0.text(in: .english) } }
  /// ``warnings``, in every language.
  package let told: [Phrase]

  /// Reads a file's content.
  ///
  /// - Parameters:
  ///   - content: the file's bytes.
  ///   - name: what to call the file in errors and warnings.
  /// - Throws: ``CatalogueError`` for a file beyond ``Limits/catalogueBytes``, for what is not JSON and for a wrong value.
  public init(_ content: some Collection<UInt8>, name: String) throws(CatalogueError) {
    guard content.count <= Limits.catalogueBytes else {
      throw CatalogueError(
        file: name,
        problem: Phrase("is larger than \(Limits.catalogueBytes) bytes", "\(Limits.catalogueBytes)바이트보다 큽니다"))
    }
    try self.init(try CatalogueFile.parse(content, name: name), name: name)
  }

  /// Reads a file that was parsed.
  package init(_ value: JSONValue, name: String) throws(CatalogueError) {
    let root = JSONPlace(file: name, path: "", value: value)
    var unknown = UnknownFields()
    var told: [Phrase] = []
    if try StoreKitFormat.recognizes(root) {
      stated = try StoreKitFormat.read(root, &unknown)
      told = try StoreKitFormat.versionWarnings(root) + StoreKitFormat.planWarnings(root)
    } else {
      stated = try PeerdFormat.read(root, &unknown)
    }
    self.told =
      unknown.paths.map { path in
        Phrase("\(name): \(path) is unknown and ignored", "\(name): \(path) 필드는 알 수 없어 무시합니다")
      } + told
  }

  /// Reads files in order, later ones adding to earlier ones. The warnings tell as well what products still lack.
  public static func merging(_ files: [CatalogueFile]) -> CatalogueFile {
    var catalogue = Catalogue()
    for file in files { catalogue.add(file.stated) }
    return CatalogueFile(stated: catalogue, told: files.flatMap(\.told) + catalogue.filled.gapsTold)
  }

  private init(stated: Catalogue, told: [Phrase]) {
    self.stated = stated
    self.told = told
  }

  package static func parse(_ content: some Collection<UInt8>, name: String) throws(CatalogueError)
    -> JSONValue
  {
    do { return try JSONParser.parse(Array(content)) } catch {
      throw CatalogueError(file: name, problem: error.told)
    }
  }
}
