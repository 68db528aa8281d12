import CXMLSecurity

/// The process-wide state of libxml2 and xmlsec.
enum XMLSecurityLibrary {
    /// Whether both libraries are ready. The first access starts them, once.
    ///
    /// xmlsec disables external entities for the whole process when it starts.
    static let isReady: Bool = {
        xmlInitParser()
        // xmlsec's default handlers write to standard error, including text of the document.
        xmlSecErrorsSetCallback { _, _, _, _, _, _, _ in }
        guard xmlSecInit() == 0, xmlSecOpenSSLInit() == 0 else { return false }
        // Starting xmlsec's OpenSSL module replaces the handler.
        xmlSecErrorsSetCallback { _, _, _, _, _, _, _ in }
        return true
    }()

    /// Runs work with both libraries started and silent.
    ///
    /// libxml2 stores its error handler and its last error, which quotes the document, per thread. Both are reset at
    /// the end.
    /// - Throws: ``SAMLProblem/libraryFailure`` if the libraries could not be started, and the errors of `body`.
    static func run<Result>(_ body: () throws(SAMLProblem) -> Result) throws(SAMLProblem) -> Result {
        guard isReady else { throw .libraryFailure }
        let handler = __xmlStructuredError().pointee
        let context = __xmlStructuredErrorContext().pointee
        xmlSetStructuredErrorFunc(nil) { _, _ in }
        defer {
            xmlResetLastError()
            ERR_clear_error()
            xmlSetStructuredErrorFunc(context, handler)
        }
        return try body()
    }
}
