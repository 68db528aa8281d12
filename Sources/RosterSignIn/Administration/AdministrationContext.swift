import Foundation
public import Roster
public import RosterAdministration
package import RosterText

/// Everything that the operations of the administration need: the view of the caller, the keys and the settings of the directory, and
/// the service if one runs.
package struct AdministrationContext: Sendable {
    /// The directory with the rights of the caller.
    let view: DirectoryView
    let directory: Directory
    /// The service; nil for the administration of a file that no service of this process serves.
    let service: OAuthService?
    /// The address at which users reach the service, without a slash at the end.
    let issuer: String
    /// Sends mails; nil for a service that sends none.
    let mailer: Mailer?
    /// The address and the browser of the caller.
    let origin: ClientOrigin
    /// The policies that the service was started with besides those of ``SettingsKeeper``.
    let givenPolicies: [GivenEntry]
    /// Refuses the value of a policy that only the service can judge.
    let checkPolicy: @Sendable (JSONValue.Member) throws -> Void

    package init(
        _ view: DirectoryView, of service: OAuthService, origin: ClientOrigin, mailer: Mailer? = nil,
        givenPolicies: [GivenEntry] = [], checkPolicy: @escaping @Sendable (JSONValue.Member) throws -> Void = { _ in }
    ) {
        (self.view, self.origin, self.mailer) = (view, origin, mailer)
        (self.service, directory, issuer) = (service, service.directory, service.issuer)
        (self.givenPolicies, self.checkPolicy) = (givenPolicies, checkPolicy)
    }

    /// Makes the context of a directory that no service of this process serves. The keys are read when an operation needs them.
    ///
    /// - Parameter issuer: The address at which users reach the directory's service; empty if no link is to be made.
    package init(
        _ view: DirectoryView, of directory: Directory, issuer: String = "",
        checkPolicy: @escaping @Sendable (JSONValue.Member) throws -> Void
    ) {
        (self.view, self.directory, self.issuer) = (view, directory, issuer)
        (service, mailer, origin, givenPolicies) = (nil, nil, ClientOrigin(""), [])
        self.checkPolicy = checkPolicy
    }

    func keys() throws -> KeyRing { try service?.keys ?? SignIn.keys(of: directory) }

    func settings() throws -> SettingsKeeper {
        try service?.settings ?? SettingsKeeper(directory, keys: SignIn.keys(of: directory))
    }

    func passwords() throws -> PasswordKeeper { try service?.passwords ?? PasswordKeeper(directory) }

    /// Refuses an operation that needs a running service.
    func running() throws -> OAuthService {
        guard let service else {
            throw DirectoryError(
                .notOffered, "Only a running server does this.", advice: "Start the server, and ask it.")
        }
        return service
    }

    /// The time of the service, or of the directory.
    var now: Date { service?.clock() ?? directory.now }
}

/// An operation of the administration that this module runs.
package protocol HandledOperation: AdministrationOperation {
    /// Runs the operation with the rights of the context's view.
    ///
    /// - Returns: The answer, as `/admin` gives it.
    func run(in context: AdministrationContext) async throws -> JSONValue
}

/// The operations of the administration, by name.
package enum HandledOperations {
    package static let all: [any HandledOperation.Type] = [
        ListTokens.self, MakeToken.self, SetTokenSource.self, EndToken.self,
        ListAppPasswords.self, MakeAppPassword.self, EndAppPassword.self,
        ListBackends.self, ReadBackend.self, MakeBackend.self, ChangeBackend.self, DeleteBackend.self,
        RenewBackendSecrets.self, ListFormerSecrets.self, EndFormerSecrets.self, ListSignOutNotices.self,
        ListBackendUsers.self,
        ListSigningKeys.self, MakeSigningKey.self, RemoveSigningKey.self,
        ListSecondFactors.self, RemoveSecondFactors.self, SetPassword.self, MakePasswordLink.self,
        ListSessions.self, EndSession.self, SignOutUser.self, ListDevices.self, EndDevice.self,
        ListRoleChanges.self, ListLatestChanges.self, ReadRemainingAccess.self, EndRemainingAccess.self,
        ListSettings.self, SetSetting.self, DeleteSetting.self, SetPolicies.self, TestSetting.self,
        ReadBranding.self, SetBranding.self, ListViews.self, SetView.self, DeleteView.self,
    ]
    package static let byName = Dictionary(all.map { ($0.name, $0) }) { $1 }
}

extension Administration {
    /// Makes the administration of a directory in this process.
    package init(_ context: AdministrationContext) {
        self.init { operation in
            guard let handled = operation as? any HandledOperation else {
                throw DirectoryError(
                    .notOffered, "There is no operation '\(type(of: operation).name)'.",
                    advice: "Build the app's modules from one version.")
            }
            return try await handled.run(in: context)
        }
    }
}

extension SignIn {
    /// The administration of the directory, with the rights of a view.
    ///
    /// The administration sends no mails. On PostgreSQL, some calls block their thread for a look-up.
    ///
    /// - Parameter view: The view of an administrator, or of the help desk for what it may do.
    public func administration(in view: DirectoryView) -> Administration {
        Administration(
            AdministrationContext(view, of: oauth, origin: ClientOrigin("")))
    }
}
