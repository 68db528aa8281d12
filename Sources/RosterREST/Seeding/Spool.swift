import Foundation
import Roster
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file without a name, which keeps a document from its writing until the client has read it. The client reads while the document is
/// still written. A slow client holds up no read of the directory, and the document takes no memory.
final class Spool: Sendable {
    private struct State {
        var written = 0
        var read = 0
        /// The end of the writing; nil until then.
        var end: Result<Void, any Error>?
        var reader: CheckedContinuation<Void, Never>?
    }
    private let file: FileHandle
    private let state = Locked(State())
    private static let pieceSize = 1 << 16

    private init() throws {
        guard let file = FileHandle.withoutName() else { throw Self.noSpace }
        self.file = file
    }

    private static let noSpace = DirectoryError(
        .storageFull, "The export cannot be kept in the folder for temporary files.", advice: "Check the space there.")

    /// Writes a document, and returns its pieces as soon as the first one is there.
    ///
    /// Each piece is read when the one before was sent. If the writing fails later, the stream throws. Releasing the stream cancels the
    /// writing.
    ///
    /// - Parameter write: Writes the document with the function that it gets.
    /// - Throws: The error of a writing that fails before the first piece.
    static func pieces(
        of write: @escaping @Sendable (_ add: @escaping @Sendable (Data) throws -> Void) async throws -> Void
    ) async throws -> AsyncThrowingStream<[UInt8], any Error> {
        let spool = try Spool()
        let writing = Writing(
            Task {
                do {
                    try await write { try spool.add($0) }
                    spool.finish(.success(()))
                } catch {
                    spool.finish(.failure(error))
                }
            })
        let first = try await writing.cancelledWithCaller { try await spool.next() }
        let waiting = Locked<[UInt8]?>(first)
        return AsyncThrowingStream(unfolding: {
            if let first = waiting.withLock({ $0.take() }) { return first }
            return try await writing.cancelledWithCaller { try await spool.next() }
        })
    }

    /// The task that writes a document. It ends when nobody reads the document any more.
    private final class Writing: Sendable {
        private let task: Task<Void, Never>
        init(_ task: Task<Void, Never>) { self.task = task }
        deinit { task.cancel() }

        func cancelledWithCaller<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
            try await withTaskCancellationHandler(operation: body) { task.cancel() }
        }
    }

    private func add(_ piece: Data) throws {
        do {
            try file.write(contentsOf: piece)
        } catch {
            throw Self.noSpace
        }
        state.withLock { state in
            state.written += piece.count
            return state.reader.take()
        }?.resume()
    }

    private func finish(_ result: Result<Void, any Error>) {
        state.withLock { state in
            state.end = result
            return state.reader.take()
        }?.resume()
    }

    /// The next piece, as soon as it is written; nil at the end of the document.
    private func next() async throws -> [UInt8]? {
        while true {
            let (place, count, end) = state.withLock { state in
                let count = min(state.written - state.read, Self.pieceSize)
                defer { state.read += count }
                return (state.read, count, state.end)
            }
            if count > 0 { return try read(count, at: place) }
            if let end {
                try end.get()
                return nil
            }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    let isReady = state.written > state.read || state.end != nil
                    if !isReady { state.reader = continuation }
                    return isReady
                }
                if isReady { continuation.resume() }
            }
        }
    }

    private func read(_ count: Int, at place: Int) throws -> [UInt8] {
        let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
            // The file has its own place for writing.
            while read < count {
                let part = pread(
                    file.fileDescriptor, buffer.baseAddress.map { $0 + read }, count - read, off_t(place + read))
                guard part > 0 else { break }
                read += part
            }
        }
        guard piece.count == count else { throw Self.noSpace }
        return piece
    }
}
