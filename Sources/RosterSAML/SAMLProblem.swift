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
        case elements, attributes, depth, namespaces, names
    }

    /// What stands where it must not.
    package enum Misplaced: String, Sendable, Hashable, CaseIterable {
        case assertion, response, signature, unknown
    }

    /// What must be there and is not.
    package enum Missing: String, Sendable, Hashable, CaseIterable {
        case issuer = "issuer"
        case subject = "subject"
        case nameID = "subject's name"
        case bearerConfirmation = "bearer confirmation of the subject"
        case conditions = "conditions"
        case audience = "audience restriction"
        case authnStatement = "authentication statement"
        case status = "status of the response"
    }

    /// What is wrong with a signature's form.
    package enum Form: String, Sendable, Hashable, CaseIterable {
        case comment = "has a comment in it"
        case parts = "does not have exactly the parts that it should have"
        case references = "does not have exactly one reference"
        case reference = "refers to something else than what it stands in"
        case transforms = "asks for other transforms than enveloped signature and exclusive canonicalization"
    }

    /// Which time it is about.
    package enum Limit: String, Sendable, Hashable, CaseIterable {
        case response = "issue instant of the response"
        case issueInstant = "issue instant"
        case confirmation = "subject confirmation"
        case conditions = "conditions"
        case authnInstant = "authentication instant"
        case session = "session"
    }

    case noText
    case textTooLong(maximumBytes: Int)
    case notBase64
    /// Too many bytes, before or after they were inflated.
    case tooLarge(maximumBytes: Int)
    case damagedCompression

    case notUTF8
    /// The XML declaration says something else than XML 1.0 in UTF-8.
    case declaration
    case documentType
    case processingInstruction
    case tooComplex(Measure)
    /// With libxml2's number for the error, and the line; both 0 where it does not know.
    case malformed(line: Int, code: Int)
    /// Something that belongs into no assertion, as `xml:id`.
    case unexpectedNode
    case duplicateID

    case unexpectedRoot
    case encrypted
    case assertionCount(Int)
    case misplaced(Misplaced)
    case missing(Missing)
    /// There are several of what there must be one of; with the step that found them.
    case repeated(Step)
    case version
    case identifier
    case unsigned
    case signatureForm(Form)
    case signatureAlgorithm
    case digestAlgorithm

    case issuerFormat
    case responseIssuer
    case unknownIssuer

    /// None of the issuer's certificates is valid now.
    case certificateExpired
    /// What was signed has been changed since.
    case digestMismatch
    /// The pinned certificate's key has not made the signature.
    case signatureMismatch
    /// The pinned certificate's key cannot have made such a signature.
    case keyMismatch
    /// What was digested is not what would be read.
    case canonicalization

    case unsuccessful
    case destination
    case responseInResponseTo

    case nameID
    case recipient
    case inResponseTo
    case confirmationNotBefore
    /// A time is missing, or none in UTC.
    case time(Limit)
    case notYetValid(Limit)
    case expired(Limit)
    case audience
    case unknownCondition
    /// An attribute has no name, or something else than values in it.
    case attribute

    /// It was used before, or so many were that nobody can tell.
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
