import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The open file whose content is the body of a request.
final class BodyFile: Sendable {
    let descriptor: Int32
    /// The size in bytes when the file was opened.
    let size: Int

    /// Opens the file of a request; nil if the body is in memory.
    ///
    /// - Throws: ``TransportError`` `badRequest` for a file that cannot be read, or that is not a regular file.
    init?(of request: TransportRequest) throws {
        guard let url = request.bodyFile else { return nil }
        guard request.body == nil, url.isFileURL, ["POST", "PUT", "PATCH"].contains(request.method) else {
            throw TransportError.badRequest(
                "A body from a file needs a file URL, one of the methods POST, PUT and PATCH, and no other body.")
        }
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            if descriptor >= 0 { close(descriptor) }
            throw TransportError.badRequest(
                "The file '\(url.path)' of the body cannot be read, or is not a regular file.")
        }
        (self.descriptor, size) = (descriptor, Int(status.st_size))
    }

    deinit { close(descriptor) }
}
