/// A value of a row that an engine other than SQLite has read. The bytes of text belong to the engine.
public struct Cell {
    /// The kind of a value.
    public enum Kind: UInt8, Sendable { case null, integer, real, text }

    public let kind: Kind
    public let integer: Int64
    public let real: Double
    /// The text, also of a number.
    public let bytes: UnsafeBufferPointer<UInt8>

    public init(kind: Kind, integer: Int64 = 0, real: Double = 0, bytes: UnsafeBufferPointer<UInt8>) {
        (self.kind, self.integer, self.real, self.bytes) = (kind, integer, real, bytes)
    }
}
