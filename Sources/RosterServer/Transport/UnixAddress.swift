import CMicroHTTPD
import Foundation

/// The path of a Unix socket in the form that the system takes (unix(7)).
struct UnixAddress {
    let path: String
    private var storage = sockaddr_un()

    /// The address of a path; nil for a path that is too long for the system, which takes 107 bytes on Linux.
    init?(_ path: String) {
        let bytes = Array(path.utf8)
        guard !bytes.contains(0), bytes.count < MemoryLayout.size(ofValue: storage.sun_path) else { return nil }
        self.path = path
        storage.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &storage.sun_path) { $0.copyBytes(from: bytes) }
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Whether the path is the socket of a process that has ended. Such a file stays after an end by a signal.
    var isAbandoned: Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withPointer { connect(descriptor, $0, $1) } != 0 && errno == ECONNREFUSED
    }
}
