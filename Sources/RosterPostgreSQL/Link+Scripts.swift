import CPostgreSQL
import RosterStore

/// What runs outside of the pipeline.
extension Link {
    /// Runs a script of several statements, outside of the pipeline.
    ///
    /// - Returns: The first value that the last statement answers.
    @discardableResult
    func run(script: String) throws -> String? {
        (work.statements, work.trips) = (work.statements + 1, work.trips + 1)
        guard let answer = library.exec(handle, script) else { throw lost() }
        defer { library.clear(answer) }
        switch Int(library.result_status(answer)) {
        case roster_pq_tuples_ok, roster_pq_command_ok:
            guard library.row_count(answer) > 0 else { return nil }
            return library.value(answer, 0, 0).map { String(cString: $0) }
        default:
            let state = library.result_error_field(answer, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
            throw PostgreSQLFailure.error(state, at: server)
        }
    }

    /// Copies rows in the text form into a table, outside of the pipeline.
    func copy(_ bytes: [CChar], with statement: String) throws {
        (work.statements, work.trips) = (work.statements + 1, work.trips + 1)
        guard let answer = library.exec(handle, statement) else { throw lost() }
        guard Int(library.result_status(answer)) == roster_pq_copy_in else {
            _ = take(answer)
            throw failure ?? lost()
        }
        library.clear(answer)
        let isSent = bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return true }
            return stride(from: 0, to: buffer.count, by: 1 << 20).allSatisfy { place in
                library.put_copy_data(handle, start + place, Int32(min(1 << 20, buffer.count - place))) == 1
            }
        }
        guard isSent, library.put_copy_end(handle, nil) == 1 else { throw lost() }
        while let answer = library.get_result(handle) {
            // libpq would answer for ever that it waits for more to copy.
            if Int(library.result_status(answer)) == roster_pq_copy_in { isLost = true }
            _ = take(answer)
            if isLost { break }
        }
        if isLost { throw failure ?? lost() }
        if Int(library.status(handle)) != roster_pq_connection_ok { throw lost() }
        if let failure { throw failure }
    }

    /// Leaves the pipeline while the body runs.
    func leavingPipeline(_ body: () throws -> Void) throws {
        pauses.endPause()
        try finish()
        defer { pauses.beginPause() }
        guard library.exit_pipeline(handle) == 1 else { throw lost() }
        defer { if library.enter_pipeline(handle) != 1 { isLost = true } }
        try body()
    }
}
