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

    /// The limit that a document exceeds. Attributes and namespaces are limited per document and per element.
    package enum Measure: String, Sendable, Hashable, CaseIterable {
        case elements, attributes, depth, namespaces, names
    }

    /// An element in a place where it is not allowed. `unknown` represents an element that SAML does not have there.
    package enum Misplaced: String, Sendable, Hashable, CaseIterable { case assertion, response, signature, unknown }

    /// A missing element, or its missing text.
    package enum Missing: String, Sendable, Hashable, CaseIterable {
        case issuer, subject, conditions
        case nameID = "subject's name"
        case bearerConfirmation = "bearer confirmation of the subject"
        case audience = "audience restriction"
        case authnStatement = "authentication statement"
        case status = "status of the response"
    }

    /// The flaw in a signature's form.
    package enum Form: String, Sendable, Hashable, CaseIterable {
        case comment = "contains a comment", parts = "has a missing or an unexpected part"
        case references = "does not have exactly one reference"
        case reference = "refers to another element than its parent"
        case transforms = "uses other transforms than enveloped signature and exclusive canonicalization"
    }

    /// The time with the problem. For `conditions` this can also be a start that is not before the end.
    package enum Limit: String, Sendable, Hashable, CaseIterable {
        case conditions, session, confirmation = "subject confirmation"
        case response = "issue instant of the response", issueInstant = "issue instant"
        case authnInstant = "authentication instant"
    }

    // ``message`` explains each case. The cases are in the order of the steps that find them.

    case noText, textTooLong(maximumBytes: Int), notBase64, tooLarge(maximumBytes: Int), damagedCompression

    case notUTF8, declaration, documentType, processingInstruction, tooComplex(Measure), unexpectedNode, duplicateID
    /// The code is libxml2's number for the error. Both numbers are 0 if unknown.
    case malformed(line: Int, code: Int)

    case unexpectedRoot, encrypted, assertionCount(Int), misplaced(Misplaced), missing(Missing), version, identifier
    case unsigned, signatureForm(Form), signatureAlgorithm, digestAlgorithm, issuerFormat, responseIssuer
    /// An element occurs repeatedly that may occur once. The step is the one that found it.
    case repeated(Step)

    case unknownIssuer

    case certificateExpired, digestMismatch, signatureMismatch, keyMismatch
    /// The digested bytes differ from the element that would be read, or are empty.
    case canonicalization

    case unsuccessful, destination, responseInResponseTo

    case nameID, recipient, inResponseTo, confirmationNotBefore, time(Limit), notYetValid(Limit), expired(Limit)
    case audience, unknownCondition, attribute

    /// The assertion was used before, or too many were used to tell. The sign-in module, which remembers used
    /// assertions, throws this.
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
