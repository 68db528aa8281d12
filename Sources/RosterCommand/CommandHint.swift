import Roster
import RosterClient
import RosterLDAP
import RosterSecrets
import RosterServer

extension Command {
    /// The hint for a key file that cannot be used.
    static let lostKeyHint = "The tool for a lost key file is 'roster key reset'."

    private static let authoritiesHint = "The option for a company's own authority is --ca-file FILE."

    /// The address of the server that has a file open, if the error tells it.
    private static func server(holding error: DirectoryError) -> String {
        error.problem.firstMatch(of: #/which serves (\S+)\.$/#).map { String($0.1) } ?? "URL"
    }

    /// The command or the option that helps with an error of the library, which knows neither; nil if there is none.
    func hint(for error: any Error) -> String? {
        if let error = error as? DirectoryServer.Failure {
            return switch error.setting {
            case .tls: "These settings are --certificate with --key, --listen and --allow-plain-http."
            case .testProvider: "The setting is --test-provider."
            case .dialects: "The setting is --no-dialects."
            case .publicURL: "The setting is --public-url."
            case nil: nil
            }
        }
        if let error = error as? LDAPServer.Failure, error.description.contains("Set 'tls'") {
            return "These settings are --certificate with --key, --ldap and --allow-plain-ldap."
        }
        if let error = error as? ClientError {
            return switch error.code {
            case .scopeNotGranted: "The option of 'roster client sign-in' is --scope."
            case .tls: Self.authoritiesHint
            default: nil
            }
        }
        if let error = error as? SecureStoreError {
            return error.code == .wrongKey ? "The options are --key-file, --passphrase and --passphrase-file." : nil
        }
        guard let error = error as? DirectoryError else { return nil }
        return switch error.code {
        case .storageFailed where error.advice?.hasPrefix("Migrate") == true: "The command is 'roster migrate'."
        case .damaged:
            error.problem.contains("postgresql://") || ["check", "restore"].contains(name)
                ? nil
                : "'roster check' lists the damage, and 'roster restore COPY FILE --replace' restores a backup."
        case .unusableKey where error.advice?.hasPrefix("Name one") == true:
            "Here that is --master-key FILE, or ROSTER_MASTER_KEY."
        case .unusableKey: Self.lostKeyHint
        case .fileInUse where worksAtServers:
            "Ask that server: roster \(name) --server \(Self.server(holding: error)) --token-file FILE …"
        case .tls where allOptions.contains(Self.authorities):
            Self.authoritiesHint
        case .recentSignInRequired where worksAtServers: "The command is 'roster client sign-in'."
        case .appNotPermitted where worksAtServers:
            "The call is 'roster client sign-in --scope \"openid offline_access directory directory:manage\" …'."
        case .notPermitted where options.contains(Self.grantAdministrators):
            "Here that is --grant-administrators."
        case .limitExceeded where options.contains { $0.name == "disable-at-most" } && error.problem.contains("scope"):
            "Here that is --disable-at-most N."
        case .invalidInput where options.contains { $0.name == "map" } && error.problem.contains("mapped to 'uid'"):
            "Here that is --map uid=\"Column\"."
        default: nil
        }
    }
}
