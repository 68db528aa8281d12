import Foundation
import Roster
import RosterCrypto
import RosterText

/// A collection of settings that administrators change while the service runs.
enum SettingCollection: String, CaseIterable {
    case issuers, certificates, providers, policies

    /// The kinds of setting by the type within the collection; a collection of one kind has no type.
    var kinds: [(type: String?, kind: StoredSetting.Kind)] {
        switch self {
        case .issuers: [("jwt", .jwtIssuer), ("saml", .samlIssuer)]
        case .certificates: [(nil, .certificate)]
        case .providers: [("oidc", .provider), ("social", .socialProvider)]
        case .policies: [(nil, .policy)]
        }
    }

    /// - Throws: `notFound`.
    init(named name: String) throws {
        guard let collection = SettingCollection(rawValue: name) else {
            throw DirectoryError(
                .notFound, "There is no collection \(ShownText.quoted(name)) of settings.",
                advice: "Give \(Self.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        self = collection
    }

    /// The kind of a type of the collection.
    ///
    /// - Throws: `notFound`.
    func kind(_ type: String?) throws -> StoredSetting.Kind {
        guard let kind = kinds.first(where: { $0.type == type })?.kind else {
            let types = kinds.compactMap(\.type)
            throw DirectoryError(
                .notFound,
                type == nil ? "The type of \(rawValue) is missing." : "There is no such type of \(rawValue).",
                advice: types.isEmpty ? "Leave the type out." : "The types are \(types.joined(separator: " and ")).")
        }
        return kind
    }

    /// The kind of a setting of the collection.
    ///
    /// - Throws: `notFound`; the error of a name that no policy has.
    func kind(_ type: String?, ofSetting name: String) throws -> StoredSetting.Kind {
        let kind = try kind(type)
        if kind == .policy { _ = try ServicePolicy(named: name) }
        return kind
    }
}

extension GivenEntry {
    /// The entry as administrators see it.
    func json(_ type: String?, _ kind: StoredSetting.Kind) -> JSONValue {
        .object(kind.members(name, type, source: "file", hasSecret: hasSecret) + kind.shown(value))
    }
}

extension StoredSetting {
    /// The setting as administrators see it. Certificates are shown by their subjects and ends.
    func json(_ type: String?, problem: String?) -> JSONValue {
        var members = kind.members(name, type, source: "directory", hasSecret: hasSecret)
        members.append(.init("changed", .time(changed)))
        if let problem { members.append(.init("problem", .string(problem))) }
        if kind == .certificate, let text = value["certificate"]?.text {
            let all = Certificate.all(in: Data(text.utf8))
            members.append(.init("subjects", .texts(all.map(\.subjectText))))
            members.append(.init("expires", .time(all.map(\.validity.upperBound).min())))
        }
        return .object(members + kind.shown(value))
    }
}

extension StoredSetting.Kind {
    /// The entry as a member of its own, so that it can be changed and sent back. Certificates and policies have one member.
    fileprivate func shown(_ entry: JSONValue) -> [JSONValue.Member] {
        switch self {
        case .certificate, .policy: entry.members
        case .jwtIssuer, .samlIssuer, .provider, .socialProvider: [.init("entry", entry)]
        }
    }

    fileprivate func members(
        _ name: String, _ type: String?, source: String, hasSecret: Bool
    ) -> [JSONValue.Member] {
        var members = [JSONValue.Member("name", .string(name))]
        if let type { members.append(.init("type", .string(type))) }
        members.append(.init("source", .string(source)))
        if hasSecret { members.append(.init("has_secret", true)) }
        return members
    }
}
