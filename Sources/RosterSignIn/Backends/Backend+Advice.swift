extension Backend {
    /// Advice about settings that work and could be safer, for people; empty if there is none.
    package var advice: [String] {
        var advice: [String] = []
        if settings.grants.contains(.authorizationCode), !settings.requiresProofKey {
            advice.append(
                "The app may come without PKCE if it sends a nonce. If the app supports PKCE, set 'pkce' to 'required'."
            )
        }
        if let name = settings.claims?.roleClaimName, settings.grants.contains(.authorizationCode) {
            advice.append(
                "The app is told all roles of its users as '\(name)', whatever scopes it asks for. If it does not need them, "
                    + "leave 'claims' out or set its 'sendRoleClaim' to false; the scopes 'roles' and 'groups' tell roles."
            )
        }
        return advice
    }
}
