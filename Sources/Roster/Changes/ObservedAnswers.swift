import RosterStore

/// An endless sequence of the answers to one question: the present answer first, then each new answer after a change.
///
/// ```swift
/// for try await page in view.users.observe(Search(.member(of: "staff"))) { … }
/// ```
///
/// The directory answers with the caller's rights at that moment. Every commit of this process makes a waiting observation
/// read again, whether it changes users, roles, reporting lines, attributes or rights. An answer that equals the previous
/// one is not delivered. A slow loop misses intermediate answers and gets the newest one.
///
/// The sequence ends when the directory is closed. It throws `CancellationError` after its task is cancelled, and the
/// errors of the question, such as `notPermitted` after the caller's account was disabled, or `overloaded` if a user has too
/// many running searches. Each loop reads on its own. The directory stays open until the loop ends. An observation does not
/// notice changes by other processes, so in a directory that is open for reading only it delivers one answer.
public struct ObservedAnswers<Answer: Sendable & Equatable>: AsyncSequence, Sendable {
    private let view: DirectoryView
    private let ask: @Sendable () async throws -> Answer

    /// Observes the answer to an operation.
    init<Question: ReadOperation>(_ view: DirectoryView, _ question: Question) where Question.Answer == Answer {
        self.view = view
        ask = { try await view.read(question) }
    }

    /// Iterates over the answers.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let question: ObservedAnswers
        private let signal: ChangeSignal
        private var last: Answer?
        /// Whether the last read gave an answer, so that only a commit can give another one.
        private var isCurrent = false

        fileprivate init(_ question: ObservedAnswers) {
            self.question = question
            // The signal is older than the first answer, so that no commit is missed.
            signal = ChangeSignal(of: question.view)
        }

        /// Waits for the next answer; returns nil once the directory is closed.
        ///
        /// - Throws: The errors of the question, after which the next call reads again; `CancellationError`;
        ///   `outsideTransaction` for the view of a transaction.
        public mutating func next() async throws -> Answer? {
            try question.view.checkIsObservable()
            while true {
                if isCurrent { try await signal.wait() }
                isCurrent = false
                let answer: Answer
                do {
                    answer = try await question.ask()
                } catch let error as DirectoryError where error.code == .closed {
                    return nil
                } catch let error as DirectoryError where signal.isOfServer && error.isTemporary && last != nil {
                    try await signal.reconnect()
                    continue
                }
                isCurrent = true
                if let last, last == answer { continue }
                last = answer
                return answer
            }
        }
    }

    /// Starts observing.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension DirectoryView {
    /// Refuses the view of a transaction, which nobody can observe after the transaction.
    fileprivate func checkIsObservable() throws {
        guard case .embedded(let shared) = source, shared.open != nil else { return }
        throw DirectoryError(
            .outsideTransaction,
            "The view of a transaction cannot be observed, because the view ends with the transaction.",
            advice: "Observe with the view on which the transaction was called.")
    }
}
