import Roster
import RosterSignIn
import RosterText

/// The old password that a user sends with a new one, so that an unlocked screen or a stolen cookie is not enough to
/// change it.
struct OldPassword: Sendable {
    /// The name of the member that holds the old password, beside the attributes or a patch's `Operations`.
    static let member = "oldPassword"

    /// The old password as the request gives it; nil if the request gives none.
    let text: String?
    let clientAddress: String

    /// Takes the old password out of a body. No attribute has its name.
    ///
    /// - Returns: The body without it.
    static func taken(from body: JSONValue, _ clientAddress: String) -> (body: JSONValue, old: OldPassword) {
        var text: String?
        var members = body.members
        members.removeAll { member in
            guard SCIMName.isSame(member.name, Self.member) else { return false }
            text = text ?? member.value.text
            return true
        }
        return (.object(members), OldPassword(text: text, clientAddress: clientAddress))
    }
}

extension ServiceContext {
    /// A view that may set a user's password, after the old password was checked if the directory asks for it. This
    /// comes before the new password is hashed, which is costly.
    ///
    /// - Throws: `notPermitted` and the like for whoever may not, `invalidAttribute` if the old password is missing; 403
    ///   where it is wrong, 429 after too many attempts.
    func view(
        _ view: DirectoryView, toSetPasswordOf user: UserReference, _ old: OldPassword
    ) async throws -> DirectoryView {
        let change = try await view.awaitRead(isBrief: true) { try $0.access.checkChangingPassword(of: user) }
        guard change.isOwn, case .person(var signIn?) = view.presence else { return view }
        guard let text = old.text else {
            guard !change.needsOldPassword else { throw DirectoryError.oldPasswordMissing }
            return view
        }
        do {
            signIn.version = try await passwords.version(of: change.name, password: text, from: old.clientAddress)
        } catch AuthenticationFailure.wrong {
            throw RequestError(.notPermitted, "The old password is wrong. Send the one that is good now.")
        } catch {
            throw Self.requestError(error)
        }
        return directory.acting(as: view.caller, by: .person(signIn))
    }
}
