import CXMLSecurity

/// libxml2 and xmlsec as processes share them.
enum XMLSecurityLibrary {
    /// Whether both are ready; starts them the first time that somebody asks, once, whoever asks at the same time.
    ///
    /// xmlsec forbids external entities to the whole process while it starts.
    static let isReady: Bool = {
        xmlInitParser()
        // xmlsec's own handlers write to the standard error output, texts of the document among it.
        xmlSecErrorsSetCallback { _, _, _, _, _, _, _ in }
        guard xmlSecInit() == 0, xmlSecOpenSSLInit() == 0 else { return false }
        // Starting it on OpenSSL has put another one in its place.
        xmlSecErrorsSetCallback { _, _, _, _, _, _, _ in }
        return true
    }()

    /// Runs something with both libraries ready and silent.
    ///
    /// libxml2 keeps its error handler and its last error, which quotes the document, for each thread; here they are
    /// put back and forgotten at the end.
    /// - Throws: ``SAMLProblem/libraryFailure`` where the libraries could not be started, and what `body` throws.
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
