internal import CSQLite
import Foundation

/// The files of a database that begins as the snapshot of a directory's file, and whose changes nobody else sees.
///
/// A reader stays in a read transaction, so that no checkpoint writes newer pages over those of its snapshot. The calls of another
/// connection arrive here: it reads the file through the reader, and nothing writes to the file. Its write-ahead log is a temporary file
/// that begins with a copy of the directory's log, and its locks and the index of the log are its own. So the connection can do all that
/// a writer can, waits for nobody, and keeps no more than what it changes.
///
/// The copy of the log is consistent at any time: either the reader uses the log, which is then only appended to, or the reader uses the
/// file alone, which then has all of its snapshot, and checksums tell the frames of a log that was begun anew meanwhile.
final class ScratchSystem {
    /// A file as SQLite calls it. SQLite sees the first member only.
    private struct File {
        var base = sqlite3_file()
        /// The file that answers.
        var target: UnsafeMutablePointer<sqlite3_file>?
        var isLog = false
        var system: UnsafeMutableRawPointer?
    }

    /// The name by which SQLite finds the system.
    let name: String
    private let nameBytes: UnsafeMutablePointer<CChar>
    private let reader: Connection
    private let original: UnsafeMutablePointer<sqlite3_vfs>
    private let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    private let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    private let main: UnsafeMutablePointer<sqlite3_file>
    private let log: UnsafeMutablePointer<sqlite3_file>
    /// The pieces of the index of the log.
    private var regions: [UnsafeMutableRawPointer] = []

    /// - Parameter reader: A connection to the file, within a read transaction that has its snapshot.
    init(of reader: Connection) throws {
        self.reader = reader
        name = "roster-scratch-\(UInt64.random(in: 0...UInt64.max))"
        guard let original = sqlite3_vfs_find(nil), let main = Self.file(of: reader, SQLITE_FCNTL_FILE_POINTER),
            let nameBytes = strdup(name)
        else { throw StoreFailure.error(SQLITE_CANTOPEN, on: reader.handle) }
        (self.original, self.main, self.nameBytes) = (original, main, nameBytes)
        let size = Int(original.pointee.szOsFile)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        log = memory.assumingMemoryBound(to: sqlite3_file.self)
        methods.initialize(to: Self.makeMethods())
        system.initialize(to: original.pointee)
        system.pointee.zName = UnsafePointer(nameBytes)
        system.pointee.pNext = nil
        system.pointee.szOsFile = max(original.pointee.szOsFile, Int32(MemoryLayout<File>.stride))
        system.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        Self.setCalls(of: system)
        var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE
        flags |= SQLITE_OPEN_DELETEONCLOSE | SQLITE_OPEN_TRANSIENT_DB
        try reader.check(original.pointee.xOpen(original, nil, log, flags, nil))
        if let source = Self.file(of: reader, SQLITE_FCNTL_JOURNAL_POINTER) { try copyLog(from: source) }
        try reader.check(sqlite3_vfs_register(system, 0))
    }

    deinit {
        sqlite3_vfs_unregister(system)
        if log.pointee.pMethods != nil { _ = log.pointee.pMethods.pointee.xClose(log) }
        UnsafeMutableRawPointer(log).deallocate()
        for region in regions { region.deallocate() }
        system.deallocate()
        methods.deallocate()
        free(nameBytes)
    }

    /// An open file of a connection; nil if the connection has none of the kind.
    private static func file(
        of connection: Connection, _ kind: Int32
    ) -> UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection.handle, "main", kind, &file) == SQLITE_OK, let file,
            file.pointee.pMethods != nil
        else { return nil }
        return file
    }

    private func copyLog(from source: UnsafeMutablePointer<sqlite3_file>) throws {
        var size: sqlite3_int64 = 0
        try reader.check(source.pointee.pMethods.pointee.xFileSize(source, &size))
        // SQLite writes fewer than 128 KiB at once.
        let piece: sqlite3_int64 = 1 << 16
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: Int(piece), alignment: 16)
        defer { buffer.deallocate() }
        var offset: sqlite3_int64 = 0
        while offset < size {
            let count = Int32(min(piece, size - offset))
            let result = source.pointee.pMethods.pointee.xRead(source, buffer, count, offset)
            // A log that was begun anew can be shorter now.
            if result == SQLITE_IOERR | 2 << 8 { return }
            try reader.check(result)
            try reader.check(log.pointee.pMethods.pointee.xWrite(log, buffer, count, offset))
            offset += sqlite3_int64(count)
        }
    }

    // MARK: The calls of SQLite

    private static func scratch(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<File>? {
        file.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: File.self) }
    }

    private static func owner(_ pointer: UnsafeMutableRawPointer?) -> ScratchSystem? {
        pointer.map { Unmanaged<ScratchSystem>.fromOpaque($0).takeUnretainedValue() }
    }

    private func open(_ pointer: UnsafeMutablePointer<sqlite3_file>, isLog: Bool) {
        let file = UnsafeMutableRawPointer(pointer).bindMemory(to: File.self, capacity: 1)
        file.initialize(to: File(target: isLog ? log : main, isLog: isLog, system: system.pointee.pAppData))
        file.pointee.base.pMethods = UnsafePointer(methods)
    }

    private static func setCalls(of system: UnsafeMutablePointer<sqlite3_vfs>) {
        system.pointee.xOpen = { system, name, file, flags, flagsOut in
            guard let owner = ScratchSystem.owner(system?.pointee.pAppData), let file else { return SQLITE_CANTOPEN }
            let isLog = flags & SQLITE_OPEN_WAL != 0
            guard isLog || flags & SQLITE_OPEN_MAIN_DB != 0 else {
                return owner.original.pointee.xOpen(owner.original, name, file, flags, flagsOut)
            }
            owner.open(file, isLog: isLog)
            flagsOut?.pointee = flags
            return SQLITE_OK
        }
        // The log belongs to the object, and temporary files delete themselves.
        system.pointee.xDelete = { _, _, _ in SQLITE_OK }
        system.pointee.xAccess = { _, name, _, found in
            found?.pointee = name.map { String(cString: $0).hasSuffix("-wal") } == true ? 1 : 0
            return SQLITE_OK
        }
        system.pointee.xFullPathname = { _, name, count, path in
            guard let name, let path, strlen(name) < Int(count) else { return SQLITE_CANTOPEN }
            strcpy(path, name)
            return SQLITE_OK
        }
    }

    private static func makeMethods() -> sqlite3_io_methods {
        var methods = sqlite3_io_methods()
        methods.iVersion = 2
        methods.xClose = { _ in SQLITE_OK }
        methods.xRead = { file, buffer, count, offset in
            guard let target = ScratchSystem.scratch(file)?.pointee.target else { return SQLITE_IOERR }
            return target.pointee.pMethods.pointee.xRead(target, buffer, count, offset)
        }
        methods.xWrite = { file, buffer, count, offset in
            guard let file = ScratchSystem.scratch(file), file.pointee.isLog, let target = file.pointee.target else {
                return SQLITE_READONLY
            }
            return target.pointee.pMethods.pointee.xWrite(target, buffer, count, offset)
        }
        methods.xTruncate = { file, size in
            guard let file = ScratchSystem.scratch(file), file.pointee.isLog, let target = file.pointee.target else {
                return SQLITE_READONLY
            }
            return target.pointee.pMethods.pointee.xTruncate(target, size)
        }
        methods.xSync = { _, _ in SQLITE_OK }
        methods.xFileSize = { file, size in
            guard let target = ScratchSystem.scratch(file)?.pointee.target else { return SQLITE_IOERR }
            return target.pointee.pMethods.pointee.xFileSize(target, size)
        }
        // A connection that closes asks for the exclusive lock before it copies the log into the file.
        methods.xLock = { _, level in level < 4 ? SQLITE_OK : SQLITE_BUSY }
        methods.xUnlock = { _, _ in SQLITE_OK }
        methods.xCheckReservedLock = { _, isHeld in
            isHeld?.pointee = 0
            return SQLITE_OK
        }
        methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        methods.xSectorSize = { _ in 4096 }
        methods.xDeviceCharacteristics = { _ in 0 }
        methods.xShmMap = { file, number, size, mustExist, region in
            guard let owner = ScratchSystem.owner(ScratchSystem.scratch(file)?.pointee.system), number >= 0 else {
                return SQLITE_IOERR
            }
            while mustExist != 0, owner.regions.count <= Int(number) {
                let piece = UnsafeMutableRawPointer.allocate(byteCount: Int(size), alignment: 16)
                piece.initializeMemory(as: UInt8.self, repeating: 0, count: Int(size))
                owner.regions.append(piece)
            }
            let isThere = Int(number) < owner.regions.count
            region?.pointee = isThere ? owner.regions[Int(number)] : nil
            return SQLITE_OK
        }
        methods.xShmLock = { _, _, _, _ in SQLITE_OK }
        methods.xShmBarrier = { _ in }
        methods.xShmUnmap = { _, _ in SQLITE_OK }
        return methods
    }
}
