import CCrypto

#if os(Linux)
    import Glibc
#endif

/// The memory pages for hashing passwords.
package enum LargePages {
    /// The size in bytes from which memory is allocated in large pages. Only scrypt's tables are so large.
    private static let threshold = 1 << 23
    private static let size = 1 << 21

    /// Makes libcrypto allocate scrypt's tables in pages of 2 MiB if the system has them. Mapping, clearing and
    /// unmapping 8,192 small pages for each password takes a tenth of the time of the hash.
    ///
    /// The setting must precede libcrypto's first allocation and affects the whole process, so only programs set it,
    /// and the library does not.
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
            // The size is rounded up, so that the last page is large as well.
            let whole = (count + size - 1) & ~(size - 1)
            var memory: UnsafeMutableRawPointer?
            guard posix_memalign(&memory, size, whole) == 0, let memory else { return nil }
            madvise(memory, whole, MADV_HUGEPAGE)
            return memory
        }
    #endif
}
