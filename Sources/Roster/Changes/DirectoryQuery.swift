public import Observation

/// The present answer to a question, as an object that SwiftUI and other observers of `@Observable` types follow.
///
/// ```text
/// struct PeopleList: View {
///     let directory: DirectoryView
///     @State private var people = DirectoryQuery<Page<User>>()
///
///     var body: some View {
///         List(people.answer?.elements ?? []) { Text($0.label) }
///             .task { await people.follow(directory.users.observe(Search(.active))) }
///     }
/// }
/// ```
///
/// The object reads nothing by itself: ``follow(_:)`` reads, and stops when its task is cancelled.
@MainActor @Observable
public final class DirectoryQuery<Answer: Sendable & Equatable> {
    /// The latest answer; nil before the first one.
    public private(set) var answer: Answer?
    /// The error of the latest attempt to read; nil after an answer. The latest answer stays.
    public private(set) var error: (any Error)?
    /// Whether the object waits for the first answer to a question.
    public private(set) var isLoading = false

    /// The number of questions so far. An answer to an earlier question is not shown.
    @ObservationIgnored private var question = 0

    /// Makes an object without an answer.
    public init() {}

    /// Asks a question, and keeps ``answer`` current until the task is cancelled, the directory is closed, or another question is
    /// asked. The answer to the earlier question stays until the first one arrives.
    ///
    /// After a temporary error, such as a server that cannot be reached, the object asks again. Any other error ends the call.
    ///
    /// - Parameter answers: The answers, for example of `observe(_:)` of ``UserManager``.
    public func follow(_ answers: ObservedAnswers<Answer>) async {
        question += 1
        let own = question
        isLoading = true
        defer { if own == question { isLoading = false } }
        var iterator = answers.makeAsyncIterator()
        while own == question, !Task.isCancelled {
            do {
                guard let next = try await iterator.next(isolation: #isolation) else { return }
                guard own == question else { return }
                answer = next
                error = nil
                isLoading = false
            } catch is CancellationError {
                return
            } catch {
                guard own == question else { return }
                self.error = error
                isLoading = false
                guard (error as? DirectoryError)?.isTemporary == true else { return }
                guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
            }
        }
    }
}
