import Foundation
import Synchronization

/// A connection of a client. It belongs to the thread of its ``LDAPLoop``, except its ``Outbox``.
final class LDAPConnection {
    typealias Time = ContinuousClock.Instant

    let number: Int
    let descriptor: Int32
    let outbox: Outbox
    private let context: LDAPContext
    private let framer: MessageFramer
    private var stream: any ByteStream
    private var session: LDAPSession
    private let post: @Sendable (_ id: Int32, LDAPReply) -> Void
    /// Runs operations on the connection's thread.
    private let executor: any TaskExecutor

    /// The running operations by the numbers of their messages.
    private var operations: [Int32: (task: Task<Void, Never>, answerTag: UInt?)] = [:]
    /// The numbers of the searches that go on until the client ends them. Other operations do not wait for those.
    private var persistent: Set<Int32> = []
    /// The requests to cancel operations, by the numbers of the operations' messages.
    private var cancels: [Int32: Int32] = [:]
    private var runsAlone = false
    /// The messages that wait for their turn.
    private var queue: ArraySlice<LDAPMessage> = []
    /// What the socket has not taken yet.
    private var unsent: ArraySlice<UInt8> = []
    /// When something happened last, when a message began that is not complete, and when the client received something last.
    private(set) var lastEvent: Time
    private var messageBegan: Time?
    private var sentLast: Time
    /// Whether no further message is read, because the connection ends once all answers are sent.
    private var isEnding = false
    /// Whether no further message is read, because the server stops.
    private var isDraining = false
    /// Whether TLS begins once all answers are sent.
    private var startsTLS = false
    private(set) var isClosed = false

    init?(
        number: Int, descriptor: Int32, peer: PeerAddress, on address: LDAPAddress, context: LDAPContext,
        executor: any TaskExecutor, notify: @escaping @Sendable () -> Void,
        post: @escaping @Sendable (Int32, LDAPReply) -> Void
    ) {
        guard let framer = MessageFramer(largest: context.limits.messageBytesUnbound) else { return nil }
        (self.number, self.descriptor, self.context, self.framer) = (number, descriptor, context, framer)
        (self.post, self.executor) = (post, executor)
        outbox = Outbox(limit: context.limits.unsentBytes, notify: notify)
        session = LDAPSession(
            number: number, peer: peer.text, isLocal: address.isLocal, isEncrypted: address.kind == .tls,
            isSocket: address.kind == .local, owner: address.kind == .local ? PeerAddress.owner(of: descriptor) : nil)
        stream = PlainStream(descriptor: descriptor)
        (lastEvent, sentLast) = (.now, .now)
        if address.kind == .tls, !beginTLS() {
            // The loop closes the descriptor.
            isClosed = true
            return nil
        }
    }

    deinit {
        if !isClosed { close() }
    }

    var isBound: Bool { session.identity != nil }
    /// Whether nothing runs and nothing waits.
    var isIdle: Bool { operations.isEmpty && queue.isEmpty && unsent.isEmpty && outbox.count == 0 }

    private var takesMessages: Bool {
        !isEnding && !isDraining && !startsTLS && queue.count < context.limits.waitingOperations
    }
    /// Whether there is something to read that the socket does not show.
    var hasUnread: Bool { takesMessages && stream.hasUnread }

    /// What the loop waits for.
    var events: Int16 {
        var events: Int16 = 0
        if takesMessages { events |= Int16(POLLIN) }
        if !unsent.isEmpty || stream.wantsToWrite || outbox.count > 0 { events |= Int16(POLLOUT) }
        return events
    }

    // MARK: Events of the socket

    func handle(_ revents: Int16, at time: Time, _ buffer: UnsafeMutableRawBufferPointer) {
        lastEvent = time
        let hasGone = revents & Int16(POLLHUP | POLLERR) != 0
        if hasGone || revents & Int16(POLLIN) != 0 { receive(at: time, buffer) }
        // Nobody awaits the answers to messages that wait.
        if hasGone, !takesMessages { close() }
        if !isClosed { flush(at: time) }
        // The handshake of TLS, which has the same deadline as a message, can end while bytes are read.
        if !stream.isStarting, !framer.isWithinMessage { messageBegan = nil }
    }

    private func receive(at time: Time, _ buffer: UnsafeMutableRawBufferPointer) {
        // A client that sends much gets its turn again after the others.
        for _ in 0..<4 where !isClosed && takesMessages {
            switch stream.read(into: buffer) {
            case .wait: return
            case .ended:
                // The client has gone, or sends nothing more. Nobody awaits the answers.
                close()
                return
            case .moved(0): return
            case .moved(let count):
                // The handshake of TLS is complete before the first byte comes.
                session.certificate = stream.clientCertificate
                take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: time)
                // The socket is empty; what TLS holds is read in the next round.
                if count < buffer.count { return }
            }
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer, at time: Time) {
        do {
            var isComplete = false
            try framer.take(bytes) { tag, reader in
                isComplete = true
                guard !isEnding, !isClosed else { return }
                do {
                    receive(try LDAPMessage(tag: tag, reader))
                } catch LDAPMessage.Problem.refused(let id, let tag, let result) {
                    answer(LDAPAnswer.result(result, to: id, tag: tag))
                }
            }
            messageBegan = framer.isWithinMessage ? (isComplete ? time : messageBegan ?? time) : nil
        } catch {
            context.counts.broken.add(1, ordering: .relaxed)
            end(with: LDAPResult(.protocolError, "The message cannot be read, or is too large."))
        }
        dispatch()
    }

    private func receive(_ message: LDAPMessage) {
        switch message.request {
        case .unbind: close()
        case .abandon(let id): abandon(id)
        case .extended(ExtendedOperation.cancel, let value): cancel(value ?? [], message.id)
        default:
            guard message.id > 0, operations[message.id] == nil, !queue.contains(where: { $0.id == message.id }) else {
                let result = LDAPResult(.protocolError, "The number of the message is in use.")
                answer(message.request.answerTag.flatMap { LDAPAnswer.result(result, to: message.id, tag: $0) })
                return
            }
            queue.append(message)
        }
    }

    /// Ends an operation without an answer (RFC 4511, section 4.11).
    private func abandon(_ id: Int32) {
        operations[id]?.task.cancel()
        queue.removeAll { $0.id == id && !$0.request.isAlone }
    }

    /// Ends an operation with an answer to it and to the request to end it (RFC 3909).
    private func cancel(_ value: [UInt8], _ id: Int32) {
        let target = try? BERReader.reading(value) { reader in
            try reader.container(BERReader.Tag.sequence) { try $0.integer() }
        }
        guard let target else {
            return answer(LDAPAnswer.extended(LDAPResult(.protocolError, "The value cannot be read."), to: id))
        }
        if let index = queue.firstIndex(where: { $0.id == target }) {
            let message = queue.remove(at: index)
            answer(message.request.answerTag.flatMap { LDAPAnswer.result(LDAPResult(.canceled), to: target, tag: $0) })
            answer(LDAPAnswer.extended(.success, to: id))
        } else if let running = operations[target], cancels[target] == nil {
            cancels[target] = id
            running.task.cancel()
        } else {
            answer(LDAPAnswer.extended(LDAPResult(.noSuchOperation), to: id))
        }
    }

    // MARK: Operations

    /// Begins the waiting operations whose turn it is.
    private func dispatch() {
        while let message = queue.first, !isClosed, !startsTLS {
            guard operations.count < context.limits.operationsPerConnection, !runsAlone,
                !message.request.isAlone || operations.count == persistent.count
            else { return }
            queue.removeFirst()
            if case .extended(ExtendedOperation.startTLS, _) = message.request {
                requestTLS(message.id)
            } else {
                begin(message)
            }
        }
    }

    private func begin(_ message: LDAPMessage) {
        if message.isEndless {
            guard persistent.count < context.limits.operationsPerConnection / 2 else {
                let result = LDAPResult(.busy, "The connection has too many persistent searches. End one first.")
                return answer(message.request.answerTag.flatMap { LDAPAnswer.result(result, to: message.id, tag: $0) })
            }
            persistent.insert(message.id)
        }
        // A bind ends the searches that go on with the rights of the former identity.
        if case .bind = message.request { endPersistent() }
        runsAlone = message.request.isAlone
        context.counts.running.add(1, ordering: .relaxed)
        let (service, session, outbox, post) = (context.service, session, outbox, post)
        // A task with a brief search stays on this thread, because switching threads takes longer than the search.
        let task = Task(executorPreference: service.isBrief(message) ? executor : nil) {
            post(message.id, await service.answer(message, in: session, outbox))
        }
        operations[message.id] = (task, message.request.answerTag)
    }

    /// Ends an operation: its effect comes before its answer, so that the client's next message finds the effect.
    func finish(_ id: Int32, _ reply: LDAPReply) {
        guard let operation = operations.removeValue(forKey: id) else { return }
        // An operation that runs alone ends before the next one begins, but not before a persistent search does.
        if persistent.remove(id) == nil { runsAlone = false }
        if case .bound(let identity) = reply.effect {
            session.rebind(identity)
            framer.limit(
                to: identity == nil ? context.limits.messageBytesUnbound : context.limits.messageBytes)
        }
        if case .abandoned = reply.effect {} else { answer(reply.bytes) }
        if let request = cancels.removeValue(forKey: id) {
            var result = LDAPResult(.tooLate)
            if case .abandoned = reply.effect {
                answer(operation.answerTag.flatMap { LDAPAnswer.result(LDAPResult(.canceled), to: id, tag: $0) })
                result = .success
            }
            answer(LDAPAnswer.extended(result, to: request))
        }
        dispatch()
    }

    private func answer(_ bytes: [UInt8]?) {
        if let bytes { outbox.add(bytes, notifies: false) } else { close() }
    }

    // MARK: TLS

    private func requestTLS(_ id: Int32) {
        func refuse(_ code: ResultCode, _ text: String) {
            answer(LDAPAnswer.extended(LDAPResult(code, text), to: id, name: ExtendedOperation.startTLS))
        }
        guard context.makeTLS != nil else {
            return refuse(.unavailable, "The server has no certificate.")
        }
        guard !session.isEncrypted else { return refuse(.operationsError, "TLS has begun already.") }
        // A message that came before TLS could be somebody else's (RFC 4511, section 4.14.1).
        guard queue.isEmpty, persistent.isEmpty, !framer.isWithinMessage else {
            return refuse(.operationsError, "TLS cannot begin while other operations wait.")
        }
        answer(LDAPAnswer.extended(.success, to: id, name: ExtendedOperation.startTLS))
        startsTLS = true
    }

    private func beginTLS() -> Bool {
        guard let tls = context.makeTLS?(descriptor) else { return false }
        stream = tls
        session.isEncrypted = true
        messageBegan = .now
        return true
    }

    // MARK: Sending

    /// Sends what the socket takes.
    func flush(at time: Time) {
        if stream.isStarting, unsent.isEmpty {
            if case .ended = stream.write(UnsafeRawBufferPointer(start: nil, count: 0)) { return close() }
            if stream.isStarting { return }
            messageBegan = nil
        }
        while !isClosed {
            if unsent.isEmpty { (unsent, sentLast) = (outbox.take()[...], time) }
            guard !unsent.isEmpty else { break }
            switch unsent.withUnsafeBytes({ stream.write($0) }) {
            case .moved(let count):
                unsent = unsent.dropFirst(count)
                sentLast = time
            case .wait:
                if time - sentLast > context.limits.sendDeadline { late() }
                return
            case .ended: return close()
            }
        }
        sentLast = time
        if startsTLS {
            startsTLS = false
            if !beginTLS() { close() }
        } else if isEnding, operations.isEmpty {
            stream.end()
            close()
        }
    }

    // MARK: Ending

    /// Tells the client why the connection ends, and closes the connection when that is sent.
    func end(with result: LDAPResult) {
        guard !isEnding, !isClosed else { return }
        isEnding = true
        queue = []
        for operation in operations.values { operation.task.cancel() }
        answer(LDAPAnswer.noticeOfDisconnection(result))
    }

    /// Reads nothing more, and ends the connection when nothing runs.
    func drain() {
        isDraining = true
        endPersistent()
        if isIdle { end(with: LDAPResult(.unavailable, "The server stops.")) }
    }

    private func endPersistent() {
        for id in persistent { operations[id]?.task.cancel() }
    }

    /// Closes the connection if the client is late.
    func check(at time: Time) {
        let limits = context.limits
        if let messageBegan, time - messageBegan > limits.messageDeadline { return late() }
        if !unsent.isEmpty, time - sentLast > limits.sendDeadline { return late() }
        if isIdle, time - lastEvent > (isBound ? limits.idle : limits.idleUnbound) {
            end(with: LDAPResult(.unavailable, "Nothing happened on the connection for a long time."))
        }
    }

    private func late() {
        context.counts.late.add(1, ordering: .relaxed)
        close()
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        for operation in operations.values { operation.task.cancel() }
        outbox.close()
        queue = []
        _ = Foundation.close(descriptor)
    }
}
