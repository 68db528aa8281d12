import Foundation

/// The reason for refusing an assertion. It contains nothing of the assertion.
package enum SAMLProblem: Error, Sendable, Hashable {
    /// The steps of the verification, in order. A problem in one step means that the earlier ones have passed, except
    /// ``SAMLProblem/libraryFailure``, which says nothing.
    package enum Step: String, Sendable, Hashable, CaseIterable {
        /// Decode base64 and gzip.
        case text
        /// Parse XML that is well-formed, small enough, and read identically by all parsers.
        case xml
        /// Find one signed assertion in an allowed place, and its issuer.
        case form
        /// Find the issuer among the trusted providers.
        case issuer
        /// Verify the signature with the issuer's pinned certificates.
        case signature
        /// Check the response around the assertion.
        case response
        /// Check the subject, and that its bearer may use the assertion here.
        case subject
        /// Check the times and the audiences.
        case conditions
        /// Read the sign-in and the attributes.
        case statements
        /// Check that the assertion is used for the first time.
        case use
    }

    /// The limit that a document exceeds.
    package enum Measure: String, Sendable, Hashable, CaseIterable {
        /// The elements of the document.
        case elements
        /// The attributes of the document or of one element.
        case attributes
        /// The nesting of elements.
        case depth
        /// The namespace declarations of the document or of one element.
        case namespaces
        /// The characters of a name or a namespace.
        case names
    }

    /// An element in a place where it is not allowed.
    package enum Misplaced: String, Sendable, Hashable, CaseIterable {
        /// The assertion, deep within the document.
        case assertion
        /// A response within another element.
        case response
        /// A signature of any element except the assertion and the response.
        case signature
        /// An element that SAML does not allow in an assertion or a response.
        case unknown
    }

    /// A missing element.
    package enum Missing: String, Sendable, Hashable, CaseIterable {
        /// `Issuer`, or its text.
        case issuer
        /// `Subject`.
        case subject
        /// `NameID`, or its text.
        case nameID = "subject's name"
        /// A bearer `SubjectConfirmation` with data.
        case bearerConfirmation = "bearer confirmation of the subject"
        /// `Conditions`.
        case conditions
        /// `AudienceRestriction`.
        case audience = "audience restriction"
        /// `AuthnStatement`.
        case authnStatement = "authentication statement"
        /// `Status` of the response.
        case status = "status of the response"
    }

    /// The flaw in a signature's form.
    package enum Form: String, Sendable, Hashable, CaseIterable {
        /// The signature contains a comment.
        case comment = "has a comment in it"
        /// A part is missing or not allowed, for example `Object`.
        case parts = "does not have exactly the parts that it should have"
        /// There are several references.
        case references = "does not have exactly one reference"
        /// The reference points to another element than the one with the signature.
        case reference = "refers to something else than what it stands in"
        /// The signature uses other transforms.
        case transforms = "asks for other transforms than enveloped signature and exclusive canonicalization"
    }

    /// The time with the problem.
    package enum Limit: String, Sendable, Hashable, CaseIterable {
        /// `IssueInstant` of the response.
        case response = "issue instant of the response"
        /// `IssueInstant` of the assertion.
        case issueInstant = "issue instant"
        /// `NotOnOrAfter` of the subject's confirmation.
        case confirmation = "subject confirmation"
        /// `NotBefore` or `NotOnOrAfter` of the conditions, or the first not before the second.
        case conditions
        /// `AuthnInstant`.
        case authnInstant = "authentication instant"
        /// `SessionNotOnOrAfter`.
        case session
    }

    /// The text is empty.
    case noText
    /// The text is too long.
    case textTooLong(maximumBytes: Int)
    /// The text is not base64, or is truncated.
    case notBase64
    /// The data is too large before or after decompression.
    case tooLarge(maximumBytes: Int)
    /// The data is not one complete gzip member.
    case damagedCompression

    /// The bytes are not UTF-8, or contain a NUL.
    case notUTF8
    /// The XML declaration names another version or encoding than XML 1.0 in UTF-8.
    case declaration
    /// The document has a document type declaration, or a part of one.
    case documentType
    /// The document has a processing instruction.
    case processingInstruction
    /// The document exceeds a limit on markup.
    case tooComplex(Measure)
    /// The XML is not well-formed. The code is libxml2's number for the error. Both numbers are 0 if unknown.
    case malformed(line: Int, code: Int)
    /// The document contains a node that no assertion may have, such as `xml:id`.
    case unexpectedNode
    /// Two attributes that could be identifiers have the same value.
    case duplicateID

    /// The document is neither an assertion nor a response of SAML 2.0.
    case unexpectedRoot
    /// A part of the document is encrypted.
    case encrypted
    /// The document has no assertion, or several.
    case assertionCount(Int)
    /// An element is in a place where it is not allowed.
    case misplaced(Misplaced)
    /// A required element is missing.
    case missing(Missing)
    /// An element is repeated that may occur once. The step is the one that found it.
    case repeated(Step)
    /// The version is not 2.0.
    case version
    /// An `ID` is missing, too long or not an XML name.
    case identifier
    /// The assertion itself is not signed.
    case unsigned
    /// A signature has an unsupported form.
    case signatureForm(Form)
    /// The signature's algorithm is not accepted, or not supported by xmlsec.
    case signatureAlgorithm
    /// The digest's algorithm is not accepted.
    case digestAlgorithm
    /// The issuer's name has another format than an entity's.
    case issuerFormat
    /// The response names another issuer.
    case responseIssuer

    /// The issuer has no pinned certificates.
    case unknownIssuer

    /// No certificate of the issuer is valid now.
    case certificateExpired
    /// The signed element was changed after it was signed.
    case digestMismatch
    /// The pinned certificate's key did not make the signature.
    case signatureMismatch
    /// The pinned certificate's key does not fit the signature's algorithm.
    case keyMismatch
    /// The digested bytes differ from the element that would be read, or are empty.
    case canonicalization

    /// The response reports a failure.
    case unsuccessful
    /// The response was sent to another address.
    case destination
    /// The response answers a request, and Roster sends none.
    case responseInResponseTo

    /// The subject's name has white space around it, or control characters.
    case nameID
    /// The subject confirmation names another recipient, or none.
    case recipient
    /// The subject confirmation answers a request, and Roster sends none.
    case inResponseTo
    /// The subject confirmation has a start time, which bearer confirmations must not have.
    case confirmationNotBefore
    /// A time is missing, not in UTC, or malformed.
    case time(Limit)
    /// A time lies in the future.
    case notYetValid(Limit)
    /// A time has passed.
    case expired(Limit)
    /// A restriction names only other audiences.
    case audience
    /// A condition is unknown.
    case unknownCondition
    /// An attribute has no name, or children that are not values.
    case attribute

    /// The assertion was used before, or the replay memory is full. ``SAMLReplayMemory`` detects this.
    case used
    /// A library failed to start or has no memory. The assertion may be valid.
    case libraryFailure
}

extension SAMLProblem: CustomStringConvertible, LocalizedError {
    /// The message and the advice in one line.
    package var description: String { message + " " + advice }
    /// The same as ``description``.
    package var errorDescription: String? { description }
}
