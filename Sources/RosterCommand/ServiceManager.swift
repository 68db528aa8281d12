import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells systemd how far the service is, by a datagram to the socket that it names (sd_notify(3)).
enum ServiceManager {
    /// Sends a state such as `READY=1`. Does nothing if systemd did not ask for it.
    static func notify(_ state: String) {
        #if canImport(Glibc)
            guard let name = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] else { return }
            var path = Array(name.utf8)
            // A name that begins with an at sign is one of the abstract names, which begin with a zero.
            if path.first == UInt8(ascii: "@") { path[0] = 0 }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            guard !path.isEmpty, path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
            let text = Array(state.utf8)
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, length)
                }
            }
        #endif
    }
}
