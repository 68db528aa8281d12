extension RoleManager {
    /// The power that a role gives to its members by itself; nil if it gives none. A role that is nested in it gives the same
    /// power.
    ///
    /// - Throws: `notFound`; `notPermitted` for all but administrators.
    public func power(of role: some RoleReferenceConvertible) throws -> Power? {
        try view.read(ReadPower(role: role.roleReference))
    }

    /// The power that a role gives to its members, as the synchronous form does.
    public func power(of role: some RoleReferenceConvertible) async throws -> Power? {
        try await view.read(ReadPower(role: role.roleReference))
    }

    /// Sets the power that a role gives to its members, also through nested roles; nil takes the power away. It takes effect
    /// at once.
    ///
    /// - Throws: `notFound`; `notPermitted` for all but administrators; `recentSignInRequired`; `invalidInput` for the
    ///   administrators' role and its power.
    @discardableResult
    public func setPower(_ power: Power?, of role: some RoleReferenceConvertible) throws -> Role {
        try view.change(SetPower(power: power, role: role.roleReference))
    }

    /// Sets the power that a role gives to its members, as the synchronous form does.
    @discardableResult
    public func setPower(_ power: Power?, of role: some RoleReferenceConvertible) async throws -> Role {
        try await view.change(SetPower(power: power, role: role.roleReference))
    }
}
