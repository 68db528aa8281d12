package import Foundation
package import RosterClient
package import RosterSecrets
package import Testing

/// Runs a body that must throw an error of the client library.
package func clientError(_ body: () async throws -> Void, _ place: SourceLocation = #_sourceLocation) async throws
    -> ClientError
{
    do {
        try await body()
    } catch let error as ClientError {
        return error
    }
    Issue.record("no error", sourceLocation: place)
    throw CocoaError(.featureUnsupported)
}

/// The URL of a text.
package func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

/// The code of the ``ClientError`` that a body throws; nil if it throws none.
package func clientCode(_ body: () throws -> Void) -> ClientError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? ClientError)?.code
    }
}

/// The code of the ``SecureStoreError`` that a body throws; nil if it throws none.
package func storeCode(_ body: () throws -> Void) -> SecureStoreError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? SecureStoreError)?.code
    }
}
