public import Roster
public import RosterSignIn

/// The directory over HTTP, without a server: a request goes in, a response comes out. Mount it in a server of your own, or
/// use `RosterServer`.
///
/// It speaks profiles over REST, SCIM 2.0, the change feed, OAuth and OpenID Connect, and has the users' own accounts and the
/// administration. `/openapi.json` describes all of it. The interfaces of older systems are in `RosterDialects`.
///
/// Every ten minutes the service deletes expired grants, sessions and changes, see `SignIn.tidyUp()`.
public struct RESTService: Sendable {
    let context: ServiceContext
    /// Whether browsers reach the service by https only.
    package var isSecure: Bool { context.isSecure }
    private let tree: RouteTree
    /// The paths of the pages for browsers.
    private let pagePaths: Set<String>
    private let tidying: Tidying?
    /// The threads on which sign-in waits for a database server; nil for a directory in a file.
    private let waitingThreads: WaitingThreads?
    private static let maximumWaitingThreads = 64

    /// - Parameter tidied: The sign-in whose expired grants, sessions and changes the service deletes; nil if the caller does
    ///   that.
    package init(_ context: ServiceContext, tidying tidied: SignIn? = nil) {
        self.context = context
        let routes = Self.routes + context.interfaces.flatMap(\.routes)
        tree = RouteTree(routes)
        pagePaths = Set(routes.filter { $0.endpoint.answer.isPage }.map(\.template))
        waitingThreads = context.directory.isOnServer ? WaitingThreads(count: Self.maximumWaitingThreads) : nil
        tidying = tidied.map { Tidying($0, context.mailer) }
    }

    /// Makes the service of a directory, to be mounted in a server of one's own.
    ///
    /// - Parameters:
    ///   - directory: What is served.
    ///   - baseURL: Where clients reach the service, such as `https://id.example.com`: links are made of it.
    ///   - hosts: The names, without ports, under which a request may ask for it; empty for any.
    ///   - signIn: What the app signs people in by itself, whose issuer is the address; nil to make one.
    ///   - interfaces: What the service speaks beside its own interfaces, such as `.dialects` of `RosterDialects`.
    ///   - rates: How fast one account may change the directory and sign in. They hold for all that this process does.
    /// - Throws: `DirectoryError` if the directory cannot be read.
    public init(
        serving directory: Directory, at baseURL: String, hosts: Set<String> = [], signIn: SignIn? = nil,
        interfaces: [ServiceInterface] = [], rates: DirectoryRates = .served
    ) throws {
        directory.rates = rates
        var baseURL = baseURL
        while baseURL.hasSuffix("/") { baseURL.removeLast() }
        let signIn = try signIn ?? SignIn(directory, issuer: baseURL)
        self.init(
            try ServiceContext(
                directory: directory, baseURL: baseURL, hosts: hosts, signIn: signIn, interfaces: interfaces),
            tidying: signIn)
    }

    // MARK: The steps of a request, in their order

    /// Answers a request. A look-up is done when this returns if a reader is free at once; everything else is handed out
    /// as work to be done.
    ///
    /// May be called from any thread, and never waits. Never throws: what goes wrong is answered in the form of the
    /// interface that was asked. Searches and large requests of one user are limited, see
    /// `DirectoryLimits.maximumSearchesOfUser`: the next one is answered 429.
    public func answer(to request: HTTPRequest) -> HTTPAnswer {
        let request = withoutBasePath(request)
        return CrossOriginAnswer.wrapped(
            request, context.crossOrigin, context.interfaces, isPage: isPage
        ) { route(request) }
    }

    /// Whether a target is a page, which other origins may never read (RFC 9700, section 2.6).
    private func isPage(_ target: String) -> Bool {
        guard let segments = try? RequestTarget(target).segments else { return false }
        return pagePaths.contains("/" + segments.joined(separator: "/"))
    }

    /// Sends a browser that asks for the path of the public address, without a slash, to the page there, whose addresses
    /// are relative; nil for other requests.
    package func redirectToPage(_ request: HTTPRequest) -> HTTPResponse? {
        guard !context.basePath.text.isEmpty, request.target == context.basePath.text else { return nil }
        return HTTPResponse(308, headers: ["Location": context.baseURL + "/"])
    }

    /// A request below the path of the public address as one without the path. Where that leads nowhere, a proxy has
    /// taken the path away already.
    package func withoutBasePath(_ request: HTTPRequest, isPage: (_ target: String) -> Bool = { _ in false })
        -> HTTPRequest
    {
        guard let target = context.basePath.removed(from: request.target),
            isPage(target) || (try? tree.match(request.method, RequestTarget(target).segments).isKnown) == true
        else { return request }
        var request = request
        request.target = target
        return request
    }

    /// Step 1: Is the request for this service, and which route answers it?
    private func route(_ request: HTTPRequest) -> HTTPAnswer {
        let arrival = Arrival()
        func refused(_ error: any Error, _ style: ErrorStyle? = nil) -> HTTPAnswer {
            .now(finish(error, request, arrival, style: style ?? context.errorStyle(of: request.target)))
        }
        do {
            try context.check(request)
            if request.target == "*", request.method == "OPTIONS" {
                try context.checkHost(of: request)
                return .now(finish(ownOptions, request, arrival, nil, nil))
            }
            let target = try RequestTarget(request.target)
            let match = tree.match(request.method, target.segments)
            if !match.takesAnyHost { try context.checkHost(of: request) }
            switch match {
            case .route(let route, let arguments):
                return read(Call(route, request, target, arguments, arrival, context))
            case .otherMethods(let methods, let style):
                let allowed = methods.joined(separator: ", ")
                return refused(
                    RequestError(.methodNotAllowed, "This takes \(allowed) only.", headers: ["Allow": allowed]), style)
            case .none: return refused(RequestError(.notFound, "There is nothing here."))
            }
        } catch {
            return refused(error)
        }
    }

    /// The answer to `OPTIONS *`, which asks for the methods that the server has at all (RFC 9110, section 9.3.7).
    private var ownOptions: HTTPResponse {
        HTTPResponse(
            204,
            headers: ["Allow": Set(tree.routes.map(\.method) + ["HEAD", "OPTIONS"]).sorted().joined(separator: ", ")])
    }

    /// Step 2: Take a reader of the directory for the steps that follow. A thread that serves many connections never waits
    /// for one.
    private func read(_ call: Call) -> HTTPAnswer {
        if !call.route.endpoint.asksDirectory { return identify(call) }
        if let answer = context.directory.lookUpAtOnce({ identify(call) }) { return answer }
        return .later {
            do {
                return try await awaitLookUp(for: call) { identify(call) }.response()
            } catch {
                return finish(error, call)
            }
        }
    }

    private func awaitLookUp(for call: Call, _ body: @escaping @Sendable () -> HTTPAnswer) async throws -> HTTPAnswer {
        guard let credentials = context.credentialTexts(of: call.request),
            let holder = context.knownCredentials.holder(of: credentials)
        else { return try await context.directory.awaitLookUp(body) }
        return try await context.directory.awaitLookUp(
            expecting: call.route.endpoint.expectations(call), by: holder.caller,
            signIn: [SettingsKeeper.expectation] + (holder.accountName.map { [.account(named: $0)] } ?? []), body)
    }

    /// Step 3: Who sends the request? This looks things up without waiting.
    private func identify(_ call: Call) -> HTTPAnswer {
        guard call.route.access != .everyone else { return handle(call) }
        if let caller = call.request.caller { return .later { await answer(call, by: caller) } }
        do {
            switch try context.signIn(call.request) {
            case .identified(let identity):
                return admit(call.with(identity: identity), identity)
            case .refused(let failure):
                forgetCredentials(of: call)
                throw failure
            case .later(let work):
                return .later {
                    do {
                        let identity = try await withTaskExecutorPreference(waitingThreads) { try await work() }
                        return await answer(call, by: identity)
                    } catch {
                        if error is AuthenticationFailure { forgetCredentials(of: call) }
                        return finish(error, call)
                    }
                }
            }
        } catch {
            return .now(finish(error, call))
        }
    }

    /// Answers the request of a caller whose session may have been prolonged.
    private func answer(_ call: Call, by caller: Identity) async -> HTTPResponse {
        var identity = caller
        let prolonged = identity.prolongedSession.take()
        var response = await admit(call.with(identity: identity), identity).response()
        // The session was prolonged, so its cookie is renewed even if the request failed.
        if let prolonged, let field = context.renewedCookie(of: call.request, lifetime: prolonged) {
            response.headers.add("Set-Cookie", field)
        }
        return response
    }

    /// Step 4: May the caller use this interface at all? The directory's views decide what the caller may do there.
    private func admit(_ call: Call, _ identity: Identity) -> HTTPAnswer {
        do {
            _ = try BatchesAPI.number(of: call.request)
            switch call.route.access {
            case .everyone, .signedIn: break
            case .api(let name, let scope): try identity.check(name, orScope: scope, context.oauth)
            case .ownAccount: try identity.checkOwnAccount(context.oauth)
            case .ownAccountInPerson:
                try identity.checkOwnAccount(context.oauth)
                try call.view.read { try $0.access.checkPresence(to: "change a second factor") }
            }
            rememberCredentials(of: call, identity)
            return handle(call)
        } catch {
            return .now(finish(error, call))
        }
    }

    private func rememberCredentials(of call: Call, _ identity: Identity) {
        guard context.directory.isOnServer, identity.caller != .nobody,
            let credentials = context.credentialTexts(of: call.request)
        else { return }
        let isByName = credentials.first == "basic" && identity.appPassword == nil
        context.knownCredentials.remember(credentials, of: .init(identity, isByName: isByName))
    }

    private func forgetCredentials(of call: Call) {
        guard context.directory.isOnServer, let credentials = context.credentialTexts(of: call.request) else { return }
        context.knownCredentials.forget(credentials)
    }

    /// Step 5: The endpoint answers. A large request is read in the caller's turn among the searches, so that no caller's
    /// requests keep the threads that all of them need.
    private func handle(_ call: Call) -> HTTPAnswer {
        @Sendable func answer() throws -> Reply {
            try call.checkParameters()
            try call.checkPrecondition()
            return try call.route.endpoint.handler(call)
        }
        func later(_ work: @escaping @Sendable () async throws -> HTTPResponse) -> HTTPAnswer {
            // Searches and changes of the directory make no thread wait, and a change of threads would take longer.
            let isOfDirectory = call.route.group.isOfDirectory
            return .later {
                do {
                    if isOfDirectory { return finish(try await work(), call) }
                    return finish(try await withTaskExecutorPreference(waitingThreads) { try await work() }, call)
                } catch {
                    return finish(error, call)
                }
            }
        }
        if call.request.isLarge {
            return later {
                guard call.identity != nil else { return try await answer().response() }
                return try await call.view.awaitTurn { try answer() }.response()
            }
        }
        do {
            switch try answer() {
            case .now(let response): return .now(finish(response, call))
            case .later(let work): return later(work)
            }
        } catch {
            return .now(finish(error, call))
        }
    }

    // MARK: The last step: common header fields, metrics and the log

    private func finish(_ response: HTTPResponse, _ call: Call) -> HTTPResponse {
        finish(response, call.request, call.arrival, call.route, call.identity?.name, readAll: call.notes.text)
    }

    private func finish(_ error: any Error, _ call: Call) -> HTTPResponse {
        finish(
            context.challenge(error, to: call.request), call.request, call.arrival, style: call.route.style,
            call.route, call.identity?.name, readAll: call.notes.text)
    }

    private func finish(
        _ error: any Error, _ request: HTTPRequest, _ arrival: Arrival, style: ErrorStyle, _ route: Route? = nil,
        _ who: String? = nil, readAll: String? = nil
    ) -> HTTPResponse {
        let answer = ErrorAnswer(ServiceContext.requestError(error))
        let response = answer.response(in: style, path: RequestRecord.path(of: request), requestID: arrival.id)
        return finish(
            response, request, arrival, route, who, failure: answer.status >= 500 ? "\(error)" : nil, readAll: readAll)
    }

    private func finish(
        _ response: HTTPResponse, _ request: HTTPRequest, _ arrival: Arrival, _ route: Route?, _ who: String?,
        failure: String? = nil, readAll: String? = nil
    ) -> HTTPResponse {
        var response = response
        response.headers.add("X-Request-ID", arrival.id)
        response.headers.add("X-Content-Type-Options", "nosniff")
        if context.isSecure {
            response.headers.add(ServiceContext.transportSecurity.name, ServiceContext.transportSecurity.value)
        }
        if response.headers["Cache-Control"] == nil { response.headers.add("Cache-Control", "no-store") }
        let duration = arrival.duration
        context.metrics.count(request.method, route, response.status, duration)
        if let log = context.log {
            log(
                RequestRecord(
                    request, arrival, route: route?.template, who: who, status: response.status, duration: duration,
                    failure: failure, readAll: readAll))
        }
        return response
    }

    /// Decides whether a request whose head has come may have a large body. Only callers who may use it may send one, so that nobody
    /// else can fill the memory. Never waits: where the caller is not known at once, the decision is work to be done.
    package func largeBody(of head: HTTPRequest) -> LargeBody {
        let plain = withoutBasePath(head)
        guard let target = try? RequestTarget(plain.target),
            case .route(let route, let arguments) = tree.match(plain.method, target.segments),
            let action = route.endpoint.largeBodies?(arguments), context.credentialTexts(of: plain) != nil
        else { return .refused }
        @Sendable func admit(_ caller: Identity) -> LargeBody {
            let view = context.directory.acting(as: caller.caller, by: caller.presence)
            guard (try? view.may(action)) == true else { return .refused }
            var request = head
            request.caller = caller
            return .admitted(bytes: Endpoint.largestBody, request)
        }
        @Sendable func identify() -> LargeBody {
            switch try? context.signIn(plain) {
            case .identified(let caller)?: return admit(caller)
            case .later(let work)?:
                return .later {
                    let caller = try? await withTaskExecutorPreference(waitingThreads) { try await work() }
                    guard let caller else { return .refused }
                    return (try? await context.directory.awaitLookUp { admit(caller) }) ?? .refused
                }
            case .refused?, nil: return .refused
            }
        }
        return context.directory.lookUpAtOnce(identify)
            ?? .later { (try? await context.directory.awaitLookUp(identify)) ?? .refused }
    }

    /// Answers a request, waiting for what takes longer.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        await answer(to: request).response()
    }
}

/// Deletes expired grants, sessions and changes every ten minutes, and sends the notices about ended sessions and changed mail addresses every
/// two seconds, until it is released.
private final class Tidying: Sendable {
    private let tasks: [Task<Void, Never>]

    init(_ signIn: SignIn, _ mailer: Mailer?) {
        var tasks = [
            Task {
                repeat { try? await signIn.tidyUp() } while (try? await Task.sleep(for: .seconds(600))) != nil
            }
        ]
        tasks.append(
            Task {
                var turn = 0
                repeat {
                    // Most sessions end by a sign-out, which is noted at once.
                    if turn % 15 == 0 { try? await signIn.oauth.signOutNotices.noteEndedSessions() }
                    turn = (turn + 1) % 15
                    _ = try? await signIn.oauth.signOutNotices.sendSignOutNotices()
                } while (try? await Task.sleep(for: .seconds(2))) != nil
            })
        if let mailer {
            tasks.append(
                Task {
                    repeat {
                        try? await signIn.oauth.passwordLinks.sendAddressNotices(by: mailer)
                    } while (try? await Task.sleep(
                        for: .seconds(2))) != nil
                })
        }
        self.tasks = tasks
    }

    deinit { for task in tasks { task.cancel() } }
}

extension HTTPRequest {
    /// Whether reading the request may take longer than a look-up.
    var isLarge: Bool { body.count + target.utf8.count > 4_096 }
}

extension HTTPAnswer {
    /// The response, waiting for what takes longer.
    func response() async -> HTTPResponse {
        switch self {
        case .now(let response): response
        case .later(let work): await work()
        }
    }
}
