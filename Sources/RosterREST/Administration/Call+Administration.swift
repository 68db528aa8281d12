package import RosterAdministration
import RosterSignIn
import RosterText

/// The administration of sign-in, as the caller may do it.
extension Call {
    package var administration: Administration { Administration(administrationContext) }

    var administrationContext: AdministrationContext {
        let context = context
        return AdministrationContext(
            view, of: oauth, origin: origin, mailer: context.mailer,
            givenPolicies: context.givenPolicies, checkPolicy: { try SettingsAPI.check($0, context) })
    }

    /// Runs an operation, and answers with its answer.
    func answering(_ operation: some AdministrationOperation, status: Int = 200) -> Reply {
        .later { [administration] in .json(try await administration.run(operation), status: status) }
    }

    /// Runs an operation, and answers without a body.
    func done(_ operation: some AdministrationOperation) -> Reply {
        .done { [administration] in _ = try await administration.run(operation) }
    }
}

extension ServiceContext {
    /// The policies that the service was started with and sign-in does not know.
    fileprivate var givenPolicies: [GivenEntry] {
        givenCrossOrigin.map { [GivenEntry(ServicePolicy.allowOrigin.rawValue, value: ["value": .string($0.text)])] }
            ?? []
    }
}
