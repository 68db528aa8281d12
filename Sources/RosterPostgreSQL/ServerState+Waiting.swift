import RosterText

extension ServerState {
    /// Returns what the connections of this process wait for: a standby, the lock of another session, or any answer of the database
    /// server. Returns nil if no connection waits. Asks over a connection of its own, and blocks the thread.
    func waitReason() -> String? {
        var answer = ""
        do {
            let link = try Link(address)
            try link.leavingPipeline {
                answer = try link.run(script: PostgreSQLStatements.waits(of: recentProcesses)) ?? ""
            }
        } catch {
            return "\(address.name) does not answer."
        }
        switch answer.prefix(while: { $0 != "/" }) {
        case "standby":
            return
                "\(address.name): a change waits for a synchronous standby, and none has the change. Start a standby, or take "
                + "it out of synchronous_standby_names."
        case "lock":
            return "\(address.name): the lock of another session is in the way (process "
                + "\(answer.dropFirst("lock/".count)) of the database server). Another program may be migrating the directory."
        default: return nil
        }
    }
}
