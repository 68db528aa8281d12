import CXMLSecurity
import Foundation
import Testing

/// What clients do to an assertion before they send it.
enum Credential {
    /// One member of gzip.
    static func gzip(_ bytes: [UInt8]) throws -> Data {
        var stream = z_stream()
        let size = CInt(MemoryLayout<z_stream>.size)
        guard deflateInit2_(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else { throw TestFailure(function: "deflateInit2") }
        defer { deflateEnd(&stream) }
        var source = bytes
        var target = [UInt8](repeating: 0, count: bytes.count + 1_024)
        let count = source.withUnsafeMutableBufferPointer { source in
            target.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                return deflate(&stream, Z_FINISH) == Z_STREAM_END ? target.count - Int(stream.avail_out) : 0
            }
        }
        return Data(target.prefix(count))
    }

    /// How much more memory the process has at the worst moment of some work than before it, in bytes.
    static func memoryGrowth(during work: () throws -> Void) throws -> Int {
        // What was freed before would be used again and not count. Swift does not see <malloc.h>.
        if let trim = dlsym(nil, "malloc_trim") {
            _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> CInt).self)(0)
        }
        // Linux starts to count the peak again from what there is now.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: "/proc/self/clear_refs"))
        try handle.write(contentsOf: Data("5".utf8))
        try handle.close()
        let before = try memory("VmRSS:")
        try work()
        return try memory("VmHWM:") - before
    }

    private static func memory(_ field: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(field) })
        let number = line.dropFirst(field.count).split(whereSeparator: \.isWhitespace).first
        return try #require(number.flatMap { Int($0) }) * 1_024
    }
}
