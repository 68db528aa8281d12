/// The engine that keeps a directory.
public enum Engine: Sendable, Hashable {
    /// A file, or memory.
    case sqlite
    /// A server.
    case postgreSQL
}
