import Foundation
import RosterClient
import RosterCrypto
import RosterSecrets
import RosterText
import RosterTransport

/// Registering this device: one installation of the app (`doClientAppRegistration:presenter:`).
extension SecurityService {
    private var handleKey: String { prefix + "device/handle" }
    private var installationKey: String { prefix + "device/installation" }

    /// Whether this device is registered, as far as is known without the server (`isClientApplicationRegistered`).
    ///
    /// - Throws: The errors of the store.
    public var isDeviceRegistered: Bool { get throws { try deviceHandle != nil } }

    /// The handle with which the app on this device proves itself; nil if the device is not registered.
    var deviceHandle: String? {
        get throws { try store.bytes(named: handleKey).map { String(decoding: $0, as: UTF8.self) } }
    }

    /// Registers this device at the server for a user, and tells the delegate. Mirrors `doClientAppRegistration:presenter:`.
    ///
    /// The server keeps the platform, the version of the operating system, the name of this library, and a random name that represents
    /// this installation; nothing else about the device is sent. The server gives a handle, which the service keeps, and with which it
    /// proves the app from then on. Users and administrators see the device, and can end it at the server: that ends the handle, and
    /// the tokens of later sign-ins with a password. The service then goes on without a handle.
    ///
    /// - Parameter request: The user's name, password and second factor, or the challenge that asks for them. A user with an authenticator
    ///   app must give the code in the request, because the server does not ask for the code here.
    /// - Throws: `ClientError`: `badConfiguration` without ``setup()``, or if the server registers no devices; `refused` if the server
    ///   needs more facts about the device; `wrongCredentials`, `signInCancelled`, `signInInProgress`, `invalidInput`, `unreachable`,
    ///   `serverBusy`, `serverFailed`, `badAnswer`; the errors of the store. The handler's errors; `CancellationError`.
    public func registerDevice(_ request: AuthenticationRequest) async throws {
        let result: Result<Void, any Error>
        do {
            try await exclusively {
                var progress = Progress()
                let handle = try await asking(request, &progress) { try await newHandle($0) }
                try unlessSignedOut { try store.set(Array(handle.utf8), named: handleKey) }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        delegate?.securityService(self, didFinishRegistration: result)
        try result.get()
    }

    private func newHandle(_ login: Login) async throws -> String {
        guard let profile = try applicationProfile else { throw Self.noProfile }
        guard let endpoint = profile.endpoints.registration else {
            throw ClientError(
                .badConfiguration, "The server registers no devices.", advice: "Sign in without a registration.")
        }
        var body: JSONValue = [
            "X-Idaas-Rest-Subject-Type": "USERCREDENTIAL", "X-Idaas-Rest-Subject-Username": .string(login.userName),
            "X-Idaas-Rest-Subject-Password": .string(login.password), "clientId": .string(profile.applicationID),
            "deviceProfile": try facts(),
        ]
        body["X-Idaas-Rest-Subject-OTP"] = login.factor.code.map { .string($0) }
        if !login.factor.answers.isEmpty {
            body["kbaAnswers"] = .object(login.factor.answers.map { .init($0.key, .string($0.value)) })
        }
        let proof = properties.clientSecret.map { (clientID: profile.applicationID, secret: $0) }
        let reply = try await tokenService(endpoint, body, proof: proof)
        guard reply.status == 200, let json = reply.json else { throw refusal(reply) }
        guard let handle = Self.token(in: json) else {
            throw ClientError.badAnswer("The server's answer to the registration has no handle.")
        }
        return handle
    }

    private func refusal(_ reply: ProviderConnection.Reply) -> ClientError {
        guard let json = reply.json, [400, 401, 403].contains(reply.status) else {
            return reply.failure(at: "registration of devices")
        }
        let questions = json["challenge_questions"]?.texts.prefix(20).map { ShownText.plain($0) } ?? []
        guard questions.isEmpty else {
            return ClientError(
                .secondFactorRequired, "The user has a second factor.",
                advice: "Ask for the answers to the questions, and register with the answers as well.",
                questions: questions)
        }
        if reply.status == 401 {
            return ClientError(
                .wrongCredentials, "The name, the password or the second factor is wrong, or a code is missing.",
                advice: "Let the user try again, with a code if the user has an authenticator app.")
        }
        return ClientError(
            .refused, "The server refused to register this device (\(reply.status)).",
            advice: "Ask the server's administrator which facts and grants the app's registration requires.")
    }

    /// The facts that the server keeps about this device.
    private func facts() throws -> JSONValue {
        if try store.bytes(named: installationKey) == nil {
            let name = try ClientError.wrapping { try SecureRandom.token(bytes: 16) }
            _ = try store.set(Array(name.utf8), named: installationKey, if: false)
        }
        let installation = try store.bytes(named: installationKey).map { String(decoding: $0, as: UTF8.self) }
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return [
            "platform": .string(Self.platform), "sdk_version": "Roster",
            "os_version": .string("\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"),
            "installation_id": installation.map { .string($0) } ?? .null,
        ]
    }

    /// Forgets a handle that the server no longer accepts.
    func forgetDevice(_ handle: String) throws {
        if try deviceHandle == handle { try store.remove(named: handleKey) }
    }

    /// Removes the registration of this device from the store.
    ///
    /// - Returns: The handle, which is still to be ended at the server; nil if the device is not registered.
    func removeDevice() throws -> String? {
        let handle = try deviceHandle
        try store.removeAll(withPrefix: prefix + "device/")
        return handle
    }

    // MARK: Token services

    /// Sends a request to one of the token services of Oracle Mobile and Social.
    ///
    /// - Parameter proof: The app's secret or the device's handle; nil for a request that names the app in the body.
    /// - Throws: `ClientError`, `CancellationError`.
    func tokenService(
        _ endpoint: String, _ body: JSONValue, proof: (clientID: String, secret: String)?
    ) async throws -> ProviderConnection.Reply {
        var request = TransportRequest(
            "POST", endpoint, headers: ["Accept": "application/json", "Content-Type": "application/json"],
            body: body.bytes)
        if let proof {
            let text = Base64.text(Array("\(proof.clientID):\(proof.secret)".utf8))
            request.headers["X-Idaas-Rest-Authorization"] = "UIDPASSWORD cred=\"\(text)\""
        }
        do { return try await connection.send(request, deadline: .seconds(12)) } catch let error as TransportError {
            throw ClientError(error)
        }
    }

    /// The token in an answer of a token service; nil if there is none that a header field can carry.
    static func token(in json: JSONValue) -> String? {
        guard let text = json["X-Idaas-Rest-Token-Value"]?.text, (1...65_536).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return text
    }
}
