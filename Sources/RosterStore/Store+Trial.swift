package import Foundation

/// Changes on trial, which are never kept.
extension Store {
    /// Runs changes on an image of one snapshot, and keeps nothing of them. Waits for no change of others, and nobody waits for it.
    ///
    /// - Parameters:
    ///   - now: The time recorded where the image needs a schema.
    ///   - schema: The schema of a file, which the image of a server's snapshot is.
    ///   - fill: Fills the image, which is empty, from a snapshot of a server. Not called for a file or in memory.
    package func tryChanges<Value>(
        now: Date, schema: Migrations, filling fill: (_ source: Connection, _ image: Connection) throws -> Void,
        _ body: (Connection) throws -> Value
    ) throws -> Value {
        try translated {
            if ending.hasCome { throw ReaderPool.closed }
            if isOnServer {
                return try readAlone { source in
                    // SQLite deletes a file without a name when it is closed.
                    let image = try Connection(
                        path: "", mode: .init(isWriter: true, mappedBytes: 0), ending: ending, on: nil)
                    try schema.apply(on: image, path: "", now: now)
                    try image.run(StoreStatements.ignoreReferences)
                    return try Self.rolledBack(image) { image in
                        try fill(source, image)
                        return try body(image)
                    }
                }
            }
            guard let path = file?.path else {
                return try Self.rolledBack(try Connection(image: image(), ending: ending), body)
            }
            let reader = try Self.reader(path, try Self.readingMode(of: path, mappedBytes: 0), ending)
            try reader.engine.beginReading(once: false, on: reader)
            defer { reader.endSnapshot() }
            _ = try reader.first(StoreStatements.takeSnapshot) { _ in true }
            let image = try Connection(
                path: path, mode: .init(isWriter: true, mappedBytes: 0), ending: ending,
                on: try ScratchSystem(of: reader))
            return try Self.rolledBack(image, body)
        }
    }

    private static func rolledBack<Value>(
        _ image: Connection, _ body: (Connection) throws -> Value
    ) throws -> Value {
        try image.engine.beginWriting(expecting: [], on: image)
        defer { image.rollBack() }
        return try image.work(body)
    }
}
