extension BackendSettings {
    // The values that apply, with lifetimes in seconds.

    package var codeLifetime: Int64 { seconds(\.codeLifetime) ?? 60 }
    package var accessTokenLifetime: Int64 { seconds(\.accessTokenLifetime) ?? 30 * 60 }
    package var idTokenLifetime: Int64 { seconds(\.idTokenLifetime) ?? 30 * 60 }
    package var refreshTokenLifetime: Int64 { seconds(\.refreshTokenLifetime) ?? 10_080 * 60 }
    package var consumerTokenLifetime: Int64 { seconds(\.consumerTokenLifetime) ?? 604_800 }
    package var usesRefreshTokens: Bool? { tokens.usesRefreshTokens ?? serverTokens.usesRefreshTokens }
    package var claimsAvailability: TokenSettings.ClaimsAvailability {
        tokens.claimsAvailability ?? serverTokens.claimsAvailability ?? .idToken
    }

    private func seconds(_ member: KeyPath<TokenSettings, Duration?>) -> Int64? {
        (tokens[keyPath: member] ?? serverTokens[keyPath: member])?.components.seconds
    }
}
