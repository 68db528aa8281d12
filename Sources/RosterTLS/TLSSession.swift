import CGnuTLS

/// What protects the connections of a server with one certificate.
package final class TLSServer: Sendable {
    /// The certificate, which can be replaced while the server runs.
    package let identity: TLSIdentity

    /// The authorities that vouch for clients; nil to ask for no certificate.
    package let clientAuthorities: ClientAuthorities?

    package init(_ identity: TLSIdentity, clientAuthorities: ClientAuthorities? = nil) {
        (self.identity, self.clientAuthorities) = (identity, clientAuthorities)
    }

    /// Begins TLS on a socket.
    ///
    /// - Returns: Nil if the system has no memory.
    package func session(on descriptor: Int32) -> TLSSession? {
        TLSSession(descriptor, identity, clientAuthorities)
    }
}

/// A connection that TLS protects, on the side of the server. Calls never wait. A session belongs to one thread.
package final class TLSSession {
    /// The result of a call.
    package enum Step: Sendable {
        /// The number of bytes that were received or sent.
        case moved(Int)
        /// The socket has nothing, or takes nothing.
        case wait
        /// The connection has ended, or was broken.
        case ended
    }

    private let session: gnutls_session_t
    private let credentials: gnutls_certificate_credentials_t
    // The certificate is asked for during the handshake, by the pointer in the session.
    private let identity: TLSIdentity
    /// Whether the handshake is not complete.
    package private(set) var isStarting = true
    /// Whether the last piece was encrypted, but not sent. GnuTLS then wants a call without bytes.
    private var isUnsent = false

    /// The certificate of the client, which was verified; nil for none, and during the handshake.
    package private(set) var clientCertificate: ClientCertificate?

    fileprivate init?(_ descriptor: Int32, _ identity: TLSIdentity, _ authorities: ClientAuthorities?) {
        var (session, credentials): (gnutls_session_t?, gnutls_certificate_credentials_t?)
        guard roster_tls_init(&session) == 0, let session else { return nil }
        guard gnutls_certificate_allocate_credentials(&credentials) == 0, let credentials else {
            gnutls_deinit(session)
            return nil
        }
        (self.session, self.credentials, self.identity) = (session, credentials, identity)
        gnutls_certificate_set_retrieve_function2(credentials, chainWanted)
        gnutls_session_set_ptr(session, Unmanaged.passUnretained(identity).toOpaque())
        roster_tls_set_socket(session, descriptor)
        guard gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials)) == 0,
            gnutls_priority_set_direct(session, TLSIdentity.priorities, nil) == 0,
            authorities?.ask(session, credentials) ?? true
        else { return nil }
    }

    deinit {
        gnutls_deinit(session)
        gnutls_certificate_free_credentials(credentials)
    }

    /// Says whether the handshake waits until the socket accepts more bytes.
    package var wantsToWrite: Bool { isStarting && gnutls_record_get_direction(session) == 1 }

    /// Says whether the session has decrypted bytes that a poll of the socket does not show.
    package var hasUnread: Bool { !isStarting && gnutls_record_check_pending(session) > 0 }

    /// Goes on with the handshake.
    package func shakeHands() -> Step {
        while isStarting {
            let code = gnutls_handshake(session)
            if code == 0 {
                isStarting = false
                clientCertificate = ClientCertificate(verifiedIn: session)
            } else if code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED {
                return .wait
            } else if gnutls_error_is_fatal(code) != 0 {
                return .ended
            }
        }
        return .moved(0)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Step {
        if isStarting {
            let step = shakeHands()
            guard case .moved = step else { return step }
        }
        let count = gnutls_record_recv(session, buffer.baseAddress, buffer.count)
        if count > 0 { return .moved(count) }
        return step(count)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> Step {
        if isStarting { return shakeHands() }
        guard !bytes.isEmpty else { return .moved(0) }
        // A record has at most 16 KiB, so that more would be cut anyway.
        let count =
            isUnsent
            ? gnutls_record_send(session, nil, 0)
            : gnutls_record_send(session, bytes.baseAddress, min(bytes.count, 16_384))
        if count >= 0 {
            isUnsent = false
            return .moved(count)
        }
        let step = step(count)
        if case .wait = step { isUnsent = true }
        return step
    }

    /// Tells the client that nothing follows.
    package func end() { if !isStarting { gnutls_bye(session, GNUTLS_SHUT_WR) } }

    private func step(_ code: Int) -> Step {
        let code = Int32(truncatingIfNeeded: code)
        if code == 0 { return .ended }
        if code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED { return .wait }
        // A client may ask for another handshake; the server declines by not answering.
        return gnutls_error_is_fatal(code) != 0 ? .ended : .wait
    }
}

private let chainWanted:
    @convention(c) (
        gnutls_session_t?, UnsafePointer<gnutls_datum_t>?, Int32, UnsafePointer<gnutls_pk_algorithm_t>?, Int32,
        UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?, UnsafeMutablePointer<UInt32>?,
        UnsafeMutablePointer<gnutls_privkey_t?>?
    ) -> Int32 = { session, _, _, _, _, chain, count, key in
        guard let session, let pointer = gnutls_session_get_ptr(session), let chain, let count, let key else {
            return -1
        }
        let identity = Unmanaged<TLSIdentity>.fromOpaque(pointer).takeUnretainedValue()
        (chain.pointee, count.pointee, key.pointee) = identity.current
        return 0
    }
