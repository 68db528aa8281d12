import Roster
package import RosterAdministration
package import RosterText

extension ListSettings: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let collection = try SettingCollection(named: collection)
        let (stored, policies) = try await context.view.awaitRead(isBrief: true) { transaction in
            (
                try collection.kinds.map { ($0.type, $0.kind, try transaction.settings.all($0.kind)) },
                try transaction.settings.policies()
            )
        }
        // Without a service, the keys that open the secrets of settings are not asked for, so that nothing is known of problems.
        let keeper = context.service?.settings
        let current = keeper?.current ?? policies
        var shown: [JSONValue] = []
        for (type, kind, stored) in stored {
            let given = try (keeper?.givenEntries(kind) ?? []) + (kind == .policy ? context.givenPolicies : [])
            shown += given.map { $0.json(type, kind) }
            shown += stored.map { setting in
                let isHidden = given.contains { $0.name.hasSameBytes(as: setting.name) }
                return setting.json(
                    type,
                    problem: isHidden
                        ? "The server was started with an entry of that name, which counts."
                        : current.problems[setting.kind.rawValue + " " + setting.name])
            }
            if kind == .policy { shown += standardPolicies(besides: shown, current) }
        }
        return [collection.rawValue: .array(shown)]
    }

    /// The policies that nobody set.
    private func standardPolicies(besides shown: [JSONValue], _ settings: ServiceSettings) -> [JSONValue] {
        let names = shown.compactMap { $0["name"]?.text }
        return ServicePolicy.allCases.filter { !names.contains($0.rawValue) }.map { policy in
            ["name": .string(policy.rawValue), "source": "standard", "value": settings.value(of: policy)]
        }
    }
}

extension SetSetting: HandledOperation {
    /// Returns the stored setting, with `is_new` beside its members.
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        try await context.checkChangingSettings()
        let kind = try SettingCollection(named: collection).kind(type, ofSetting: setting)
        if kind == .policy { try context.checkPolicy(.init(setting, entry.value["value"] ?? .null)) }
        let isNew = try await context.settings().store(kind, setting, entry.value, in: context.view)
        // The setting is stored. A failure to read it again would tell the opposite.
        let stored = try? await context.view.awaitRead(isBrief: true) { try $0.settings.all(kind) }
            .first { $0.name.hasSameBytes(as: setting) }
        return ["is_new": .boolean(isNew), "setting": stored.map { $0.json(type, problem: nil) } ?? [:]]
    }
}

extension DeleteSetting: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let kind = try SettingCollection(named: collection).kind(type, ofSetting: setting)
        try await context.view.awaitWrite {
            try $0.asPresentAdministrator(to: "change the settings of the service").settings.delete(kind, setting)
        }
        return [:]
    }
}

extension SetPolicies: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        try await context.checkChangingSettings()
        for member in values.value.members { try context.checkPolicy(member) }
        try await context.settings().store(policies: values.value.members, in: context.view)
        return [:]
    }
}

extension TestSetting: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let kind = try SettingCollection(named: collection).kind(type)
        let findings = try await context.running().relyingParty.trial(of: kind, entry.value, in: context.view)
        return [
            "ok": .boolean(findings.allSatisfy { $0.problem == nil }),
            "findings": .array(
                findings.map { finding in
                    var members = [JSONValue.Member("subject", .string(finding.subject.rawValue))]
                    if let url = finding.url { members.append(.init("url", .string(url))) }
                    if let problem = finding.problem { members.append(.init("problem", .string(problem))) }
                    return .object(members)
                }),
        ]
    }
}

extension ReadBranding: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        try await context.readPolicies().branding.withLogo
    }
}

extension SetBranding: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        try await context.settings().store(branding: branding.value, in: context.view)
        return try await context.readPolicies().branding.json
    }
}

extension ListViews: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        ["views": .array(try await context.readPolicies().peopleViews.map(\.document))]
    }
}

extension SetView: HandledOperation {
    /// Returns whether the view is new, as `is_new`.
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let isNew = try await context.settings().save(view, state: state, former: former, in: context.view)
        return ["is_new": .boolean(isNew)]
    }
}

extension DeleteView: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        try await context.settings().deleteView(view, in: context.view)
        return [:]
    }
}

extension Branding {
    /// The branding with the bytes of the logo in base64 as `logo_data`, beside the logo's address.
    fileprivate var withLogo: JSONValue {
        var json = json
        json["logo_data"] = .text(logo.map { Base64.text($0.bytes) })
        return json
    }
}

extension AdministrationContext {
    /// Refuses a caller who may not change settings, before the caller learns which settings the server was started with.
    fileprivate func checkChangingSettings() async throws {
        try await view.awaitRead(isBrief: true) {
            _ = try $0.asPresentAdministrator(to: "change the settings of the service")
        }
    }

    /// The policies, for a caller who may read the directory.
    fileprivate func readPolicies() async throws -> ServiceSettings {
        if let service {
            // The look-up refuses a caller who may read nothing of the directory.
            try await view.awaitRead(isBrief: true) { _ in }
            return service.settings.current
        }
        return try await view.awaitRead(isBrief: true) { try $0.settings.policies() }
    }
}
