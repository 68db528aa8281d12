import Foundation
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The files that administrators send in parts, because they are too large for one request. Each is a file without a name, so that
/// nothing stays when the server ends.
final class Uploads: Sendable {
    private struct Upload {
        let file: FileHandle
        var size = 0
        /// How often a part was written. The upload ends if the number is the same after ``patience``.
        var parts = 0
    }
    private let uploads = Locked<[String: Upload]>([:])

    /// The most uploads at a time.
    static let most = 4
    /// The largest file in bytes.
    static let largest = 2 << 30
    /// The longest time between two parts, and until the file is used.
    private static let patience = Duration.seconds(600)

    /// Begins an upload, and returns its identifier, which cannot be guessed.
    ///
    /// - Throws: 429 while there are ``most`` uploads; 503 if no temporary file can be made.
    func begin() throws -> String {
        let id = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        guard let file = FileHandle.withoutName() else { throw Self.noSpace }
        try uploads.withLock { uploads in
            guard uploads.count < Self.most else {
                throw RequestError(
                    .tooManyRequests, "\(Self.most) uploads are open. Use or delete one, or wait ten minutes.",
                    headers: ["Retry-After": "600"])
            }
            uploads[id] = Upload(file: file)
        }
        expire(id, at: 0)
        return id
    }

    /// Writes a part at its place, and returns the file's size. The same part may come again, after an answer was lost.
    ///
    /// - Throws: 404 for an unknown upload; 400 for a place behind the end; 413 for a file that becomes too large; 503 if there is no
    ///   space.
    func write(_ part: [UInt8], at place: Int, to id: String) throws -> Int {
        let (size, parts) = try uploads.withLock { uploads in
            guard var upload = uploads[id] else { throw Self.unknown }
            guard (0...upload.size).contains(place) else {
                throw RequestError(.badRequest, "The file has \(upload.size) bytes. Send the part that begins there.")
            }
            guard part.count <= Self.largest - place else {
                throw RequestError(.contentTooLarge, "A file may have \(Self.largest >> 30) GiB.")
            }
            do {
                try upload.file.seek(toOffset: UInt64(place))
                try upload.file.write(contentsOf: part)
            } catch {
                throw Self.noSpace
            }
            upload.size = max(upload.size, place + part.count)
            upload.parts += 1
            uploads[id] = upload
            return (upload.size, upload.parts)
        }
        expire(id, at: parts)
        return size
    }

    /// Ends an upload, and returns its file, which takes no memory but what is being read.
    ///
    /// - Throws: 404 for an unknown upload; 400 for an upload without a part.
    func take(_ id: String) throws -> Data {
        let upload = try uploads.withLock { uploads in
            guard let upload = uploads[id] else { throw Self.unknown }
            guard upload.size > 0 else { throw RequestError(.badRequest, "The upload has no part yet.") }
            uploads[id] = nil
            return upload
        }
        let start = mmap(nil, upload.size, PROT_READ, MAP_PRIVATE, upload.file.fileDescriptor, 0)
        guard let start, start != MAP_FAILED else { throw Self.noSpace }
        return Data(bytesNoCopy: start, count: upload.size, deallocator: .unmap)
    }

    /// Deletes an upload.
    ///
    /// - Throws: 404 for an unknown upload.
    func end(_ id: String) throws {
        guard uploads.withLock({ $0.removeValue(forKey: id) }) != nil else { throw Self.unknown }
    }

    private func expire(_ id: String, at parts: Int) {
        Task { [weak self] in
            try? await Task.sleep(for: Self.patience)
            self?.uploads.withLock { if $0[id]?.parts == parts { $0[id] = nil } }
        }
    }

    private static let unknown = RequestError(
        .notFound,
        "There is no such upload at this server: it was used, it ended ten minutes after its last part, or another "
            + "server has it.")
    private static let noSpace = RequestError(
        .unavailable, "The file cannot be kept in the server's folder for temporary files. Check the space there.")
}

extension FileHandle {
    /// A temporary file without a name, which is gone when the handle is; nil if none can be made.
    static func withoutName() -> FileHandle? {
        guard let stream = tmpfile() else { return nil }
        defer { fclose(stream) }
        let descriptor = fcntl(fileno(stream), F_DUPFD_CLOEXEC, 0)
        return descriptor < 0 ? nil : FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
