extension SAMLProblem {
    /// The step that found the problem.
    package var step: Step {
        switch self {
        case .noText, .textTooLong, .notBase64, .tooLarge, .damagedCompression: .text
        case .notUTF8, .declaration, .documentType, .processingInstruction, .tooComplex, .malformed, .unexpectedNode,
            .duplicateID, .libraryFailure:
            .xml
        case .unexpectedRoot, .encrypted, .assertionCount, .misplaced, .version, .identifier, .unsigned, .signatureForm,
            .signatureAlgorithm, .digestAlgorithm, .missing(.issuer), .issuerFormat, .responseIssuer:
            .form
        case .repeated(let step): step
        case .unknownIssuer: .issuer
        case .certificateExpired, .digestMismatch, .signatureMismatch, .keyMismatch, .canonicalization: .signature
        case .unsuccessful, .destination, .responseInResponseTo, .missing(.status), .time(.response),
            .notYetValid(.response), .expired(.response):
            .response
        case .nameID, .recipient, .inResponseTo, .confirmationNotBefore, .time(.confirmation),
            .notYetValid(.confirmation), .expired(.confirmation), .missing(.subject), .missing(.nameID),
            .missing(.bearerConfirmation):
            .subject
        case .audience, .unknownCondition, .missing(.conditions), .missing(.audience), .time(.conditions),
            .time(.issueInstant), .notYetValid(.conditions), .notYetValid(.issueInstant), .expired(.conditions),
            .expired(.issueInstant):
            .conditions
        case .missing(.authnStatement), .attribute, .time, .notYetValid, .expired: .statements
        case .used: .use
        }
    }

    /// The cause.
    package var message: String {
        switch self {
        case .noText: "There is no assertion."
        case .textTooLong(let limit): "The text is longer than \(limit) bytes."
        case .notBase64: "The text is not base64, or was cut off."
        case .tooLarge(let limit): "The document is larger than \(limit) bytes."
        case .damagedCompression: "The gzip data is damaged, cut off, or followed by something else."
        case .notUTF8: "The document is not UTF-8."
        case .declaration: "The XML declaration says something else than XML 1.0 in UTF-8."
        case .documentType: "The document has a document type declaration."
        case .processingInstruction: "The document has a processing instruction."
        case .tooComplex(let measure): "The document has too much markup: \(measure.rawValue)."
        case .malformed(let line, let code): "The XML is not well-formed (line \(line), libxml2's error \(code))."
        case .unexpectedNode: "The document has XML that no assertion may have."
        case .duplicateID: "Two elements have the same identifier."
        case .unexpectedRoot: "The document is neither a SAML 2.0 assertion nor a response with one."
        case .encrypted: "The assertion, or something in it, is encrypted."
        case .assertionCount(let count): "There are \(count) assertions of SAML 2.0 instead of one."
        case .misplaced(.unknown): "An element is in a place where SAML 2.0 does not allow it."
        case .misplaced(let what): "An element of type \(what.rawValue) is in a place where it is not allowed."
        case .missing(let what): "The \(what.rawValue) is missing."
        case .repeated: "An element is repeated that may occur only once."
        case .version: "The version is not 2.0."
        case .identifier: "There is no usable identifier."
        case .unsigned: "The assertion itself is not signed."
        case .signatureForm(let form): "The signature \(form.rawValue)."
        case .signatureAlgorithm: "The signature's algorithm is not accepted."
        case .digestAlgorithm: "The digest's algorithm is not accepted."
        case .issuerFormat: "The issuer's name has another format than an entity's."
        case .responseIssuer: "The response and the assertion are from different issuers."
        case .unknownIssuer: "The issuer is not known here."
        case .certificateExpired: "No certificate of the issuer is valid at this time."
        case .digestMismatch: "The document was changed after it was signed."
        case .signatureMismatch: "The signature was not made with the issuer's pinned certificate."
        case .keyMismatch: "The issuer's pinned certificate cannot have made such a signature."
        case .canonicalization: "The signed bytes differ from the element that would be read."
        case .unsuccessful: "The response reports that signing in has failed."
        case .destination: "The response was sent to another address."
        case .responseInResponseTo: "The response answers a request, and no request was sent from here."
        case .inResponseTo: "The assertion answers a request, and no request was sent from here."
        case .nameID: "The subject's name begins or ends with white space, or has control characters."
        case .recipient: "The assertion was confirmed to another recipient."
        case .confirmationNotBefore: "The subject confirmation has a start time, which a bearer's must not have."
        case .time(let limit): "A time is missing or not in UTC: \(limit.rawValue)."
        case .notYetValid(let limit): "The time lies in the future: \(limit.rawValue)."
        case .expired(let limit): "The time has passed: \(limit.rawValue)."
        case .audience: "The assertion was made for another audience."
        case .attribute: "An attribute has no name, or something else than values in it."
        case .unknownCondition: "The assertion has an unknown condition."
        case .used: "The assertion was used before, or too many were used to tell."
        case .libraryFailure: "The XML library could not do its work."
        }
    }

    /// Advice on what to do next.
    package var advice: String {
        switch self {
        case .noText, .textTooLong, .notBase64: "Send base64 of the assertion, or of the assertion in gzip."
        case .tooLarge: "Configure the provider to send fewer attributes."
        case .damagedCompression: "Compress the whole assertion with gzip, once."
        case .notUTF8, .declaration: "Send it in UTF-8, as the provider made it."
        case .documentType, .processingInstruction, .unexpectedNode, .malformed, .duplicateID:
            "Send the assertion exactly as the provider made it."
        case .tooComplex: "Configure the provider to send smaller assertions."
        case .unexpectedRoot: "Send the assertion, or the response, as the provider made it."
        case .encrypted: "Turn encryption off for this service at the provider; the connection is encrypted."
        case .assertionCount, .misplaced, .repeated: "Send the one assertion exactly as the provider made it."
        case .missing, .version, .identifier, .issuerFormat, .confirmationNotBefore, .nameID, .unknownCondition, .time,
            .attribute:
            "Configure the provider to follow SAML 2.0's web browser profile."
        case .unsigned: "Configure the provider to sign assertions, not only responses."
        case .signatureForm:
            "Configure the provider to sign with an enveloped signature and exclusive canonicalization."
        case .signatureAlgorithm, .digestAlgorithm:
            "Configure the provider to sign with RSA or ECDSA and SHA-256 or better."
        case .unknownIssuer, .responseIssuer: "Register the provider under its own entity ID."
        case .certificateExpired, .signatureMismatch, .keyMismatch:
            "If the provider has a new certificate, register it."
        case .digestMismatch, .canonicalization: "Send the assertion exactly as the provider made it."
        case .unsuccessful: "Sign in at the provider again."
        case .destination, .recipient: "Set the recipient at the provider to this service's exchange address."
        case .inResponseTo, .responseInResponseTo: "Start the sign-in at the provider, without a request from here."
        case .notYetValid: "Correct the clocks of the provider and of this service."
        case .expired: "Get a new assertion from the provider."
        case .audience: "Set the audience at the provider to this service's exchange address."
        case .used: "Get a new assertion from the provider."
        case .libraryFailure: "Try again. If it fails again, check this server's memory and its installation of xmlsec."
        }
    }
}
