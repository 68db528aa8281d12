import Roster
import RosterClient
import RosterServer

extension Command {
    /// The hint for a key file that cannot be used.
    static let lostKeyHint = "The tool for a lost key file is 'roster key reset'."

    /// The command or the option that helps with an error of the library, which knows neither; nil if there is none.
    func hint(for error: any Error) -> String? {
        if let error = error as? DirectoryServer.Failure {
            return switch error.setting {
            case .tls: "These settings are --certificate with --key, --listen and --allow-plain-http."
            case .testProvider: "The setting is --test-provider."
            case nil: nil
            }
        }
        if let error = error as? ClientError {
            return switch error.code {
            case .wrongKey: "The options are --key-file, --passphrase and --passphrase-file."
            case .scopeNotGranted: "The option of 'roster client sign-in' is --scope."
            default: nil
            }
        }
        guard let error = error as? DirectoryError else { return nil }
        return switch error.code {
        case .damaged, .storageFailed: "'roster check' checks a file."
        case .unusableKey: Self.lostKeyHint
        case .notPermitted where options.contains(Self.grantAdministrators):
            "Here that is --grant-administrators."
        case .invalidInput where options.contains { $0.name == "map" } && error.problem.contains("mapped to 'uid'"):
            "Here that is --map uid=\"Column\"."
        default: nil
        }
    }
}
