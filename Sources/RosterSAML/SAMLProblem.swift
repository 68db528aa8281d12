import Foundation

/// Why an assertion is refused. Holds nothing of what was presented.
package enum SAMLProblem: Error, Sendable, Hashable {
    /// What is done with an assertion, in order. A problem in one step means that the earlier ones have passed, except
    /// ``SAMLProblem/libraryFailure``, which tells nothing.
    package enum Step: String, Sendable, Hashable, CaseIterable {
        /// Base64 and gzip.
        case text
        /// The XML is well-formed, small enough and without what could make readers differ.
        case xml
        /// One signed assertion stands where it should, and says who has issued it.
        case form
        /// Its issuer is one that we know.
        case issuer
        /// The issuer's pinned certificate has signed it.
        case signature
        /// What the response around it says.
        case response
        /// Whom it is about, and that whoever bears it may use it here.
        case subject
        /// When and for whom it is valid.
        case conditions
        /// When the person signed in there, and what is known of them.
        case statements
        /// It is used for the first time.
        case use
    }

    /// What there was too much of.
    package enum Measure: String, Sendable, Hashable, CaseIterable {
        /// Elements in the document.
        case elements
        /// Attributes in the document or of one element.
        case attributes
        /// Elements within each other.
        case depth
        /// Declarations of namespaces in the document or of one element.
        case namespaces
        /// Characters of a name or a namespace.
        case names
    }

    /// What stands where it must not.
    package enum Misplaced: String, Sendable, Hashable, CaseIterable {
        /// The one assertion, somewhere deep in the document.
        case assertion
        /// A response within something else.
        case response
        /// A signature of anything but the assertion or the response.
        case signature
        /// An element that SAML does not have in an assertion or a response.
        case unknown
    }

    /// What must be there and is not.
    package enum Missing: String, Sendable, Hashable, CaseIterable {
        /// `Issuer`, or a name in it.
        case issuer
        /// `Subject`.
        case subject
        /// `NameID`, or a text in it.
        case nameID = "subject's name"
        /// `SubjectConfirmation` by bearer with data.
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

    /// What is wrong with a signature's form.
    package enum Form: String, Sendable, Hashable, CaseIterable {
        /// There is a comment somewhere in it.
        case comment = "has a comment in it"
        /// A part is missing, or there is one that it should not have, as `Object`.
        case parts = "does not have exactly the parts that it should have"
        /// There are several references.
        case references = "does not have exactly one reference"
        /// The reference is not to the element that the signature stands in.
        case reference = "refers to something else than what it stands in"
        /// What is signed would be made in another way.
        case transforms = "asks for other transforms than enveloped signature and exclusive canonicalization"
    }

    /// Which time it is about.
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

    /// Nothing was presented.
    case noText
    /// There are too many bytes of text; with the limit.
    case textTooLong(maximumBytes: Int)
    /// It is not base64, or was cut off.
    case notBase64
    /// There are too many bytes, before or after they were inflated; with the limit.
    case tooLarge(maximumBytes: Int)
    /// It is not one whole member of gzip.
    case damagedCompression

    /// The bytes are not UTF-8, or there is a NUL among them.
    case notUTF8
    /// The XML declaration says something else than XML 1.0 in UTF-8.
    case declaration
    /// There is a document type declaration, or a part of one.
    case documentType
    /// There is a processing instruction.
    case processingInstruction
    /// There is too much of something.
    case tooComplex(Measure)
    /// The XML is not well-formed; with the line and libxml2's number for the error, 0 where it does not know.
    case malformed(line: Int, code: Int)
    /// There is something that belongs into no assertion, as `xml:id`.
    case unexpectedNode
    /// Two attributes that can be taken for identifiers have the same value.
    case duplicateID

    /// The document is neither an assertion nor a response of SAML 2.0.
    case unexpectedRoot
    /// Something in it is encrypted.
    case encrypted
    /// There are none or several assertions; with their number.
    case assertionCount(Int)
    /// Something stands where it must not.
    case misplaced(Misplaced)
    /// Something is not there.
    case missing(Missing)
    /// There are several of what there must be one of; with the step that found them.
    case repeated(Step)
    /// The version is not 2.0.
    case version
    /// An `ID` is missing, too long or no XML name.
    case identifier
    /// The assertion itself has no signature.
    case unsigned
    /// A signature is not of the one form that is verified.
    case signatureForm(Form)
    /// A signature's algorithm is not among those that are taken, or xmlsec does not have it.
    case signatureAlgorithm
    /// A digest's algorithm is not among those that are taken.
    case digestAlgorithm
    /// The issuer's name is said to be none of an entity.
    case issuerFormat
    /// The response says that it is from another issuer.
    case responseIssuer

    /// No certificates are pinned for the issuer.
    case unknownIssuer

    /// None of the issuer's certificates is valid now.
    case certificateExpired
    /// What was signed has been changed since.
    case digestMismatch
    /// The pinned certificate's key has not made the signature.
    case signatureMismatch
    /// The pinned certificate's key cannot have made such a signature.
    case keyMismatch
    /// What was digested is not what would be read, or nothing.
    case canonicalization

    /// The response's status is not success.
    case unsuccessful
    /// The response was meant for another address.
    case destination
    /// The response answers a request.
    case responseInResponseTo

    /// The subject's name has white space around it, or control characters.
    case nameID
    /// The assertion was confirmed to nobody or somebody else.
    case recipient
    /// The confirmation answers a request.
    case inResponseTo
    /// The confirmation has a beginning.
    case confirmationNotBefore
    /// A time is missing, not in UTC, or no time.
    case time(Limit)
    /// A time lies in the future.
    case notYetValid(Limit)
    /// A time is over.
    case expired(Limit)
    /// A restriction names other audiences only.
    case audience
    /// There is a condition that is not known.
    case unknownCondition
    /// An attribute has no name, or something else than values in it.
    case attribute

    /// It was used before, or so many were that nobody can tell. Whoever asks ``SAMLReplayMemory`` throws it.
    case used
    /// A library could not be started or has no memory; says nothing about the assertion.
    case libraryFailure
}

extension SAMLProblem: CustomStringConvertible, LocalizedError {
    /// The message and the advice in one line.
    package var description: String { message + " " + advice }
    /// The same as ``description``.
    package var errorDescription: String? { description }
}
