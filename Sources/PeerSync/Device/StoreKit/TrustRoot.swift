import COpenSSL

/// Root certificates that are trusted outside production, as files in PEM form.
package enum TrustRoot {
  /// Longest file that is read, in bytes.
  private static let fileLimit = 16 * 1024

  /// The DER of the one certificate in a file.
  ///
  /// - Throws: ``StorageError/notCertificate(path:message:)`` when there is no such file, or it holds none or more than one
  package static func load(_ path: String) throws(StorageError) -> [UInt8] {
    guard let bytes = try FileSystem.read(path, limit: fileLimit) else {
      throw .notCertificate(path: path, message: StorageReason(Phrase("there is no such file", "그런 파일이 없음")))
    }
    guard let bio = try? MemoryBIO(bytes), let first = PEM_read_bio_X509(bio.pointer, nil, nil, nil) else {
      ERR_clear_error()
      throw .notCertificate(
        path: path, message: StorageReason(Phrase("no certificate in PEM form", "PEM 형식의 인증서가 없음")))
    }
    let certificate = StoreCertificate(owning: first)
    if let second = PEM_read_bio_X509(bio.pointer, nil, nil, nil) {
      X509_free(second)
      throw .notCertificate(
        path: path, message: StorageReason(Phrase("more than one certificate", "인증서가 둘 이상임")))
    }
    ERR_clear_error()
    guard let der = try? certificate.der() else {
      throw .notCertificate(path: path, message: StorageReason(Phrase("no certificate", "인증서가 아님")))
    }
    return der
  }
}
