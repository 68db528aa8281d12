package import RosterStore

extension DirectoryError {
    /// Converts a failure of the store to the library's error.
    package init(_ error: StoreError) {
        self.init(Code.Kind(error.kind), error.message, advice: error.advice)
    }

    /// Runs work that uses the store, and converts the store's failures to the library's errors.
    package static func translating<Value>(_ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error as StoreError {
            throw DirectoryError(error)
        }
    }
}

extension DirectoryError.Code.Kind {
    fileprivate init(_ kind: StoreError.Kind) {
        self =
            switch kind {
            case .alreadyExists: .alreadyExists
            case .overloaded: .overloaded
            case .readOnly: .readOnly
            case .closed: .closed
            case .fileInUse: .fileInUse
            case .fileNotFound: .fileNotFound
            case .notADirectory: .notADirectory
            case .newerFile: .newerFile
            case .damaged: .damaged
            case .storageFull: .storageFull
            case .storageFailed, .forbidden: .storageFailed
            case .unusableKey: .unusableKey
            case .reentrantCall: .reentrantCall
            case .limitExceeded: .limitExceeded
            case .unreachable: .unreachable
            case .outcomeUnknown: .outcomeUnknown
            }
    }
}
