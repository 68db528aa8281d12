import CCrypto

#if os(Linux)
    import Glibc
#endif

/// The memory in which passwords are hashed.
package enum LargePages {
    /// From here on, in bytes, memory is taken in large pages: only scrypt's tables are so large.
    private static let threshold = 1 << 23
    private static let size = 1 << 21

    /// Has libcrypto take the tables of scrypt in pages of 2 MiB where the system has them: to map, empty and unmap 8,192
    /// small ones for each password takes a tenth of the time of the hash.
    ///
    /// It concerns the whole process, and works only before libcrypto has taken any memory: it is for the first line of a
    /// program, and not for a library.
    package static func useForHashing() {
        #if os(Linux)
            _ = CRYPTO_set_mem_functions(
                { size, _, _ in size == 0 ? nil : LargePages.allocate(size) },
                { old, size, _, _ in
                    if size == 0 {
                        free(old)
                        return nil
                    }
                    return realloc(old, size)
                },
                { old, _, _ in free(old) })
        #endif
    }

    #if os(Linux)
        private static func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
            guard count >= threshold, count <= 1 << 40 else { return malloc(count) }
            // Whole pages, so that the last one is large as well.
            let whole = (count + size - 1) & ~(size - 1)
            var memory: UnsafeMutableRawPointer?
            guard posix_memalign(&memory, size, whole) == 0, let memory else { return nil }
            madvise(memory, whole, MADV_HUGEPAGE)
            return memory
        }
    #endif
}
