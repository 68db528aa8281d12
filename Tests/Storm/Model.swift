import Foundation
import RosterText

/// What a person in the directory is like, as far as the storm changes it.
struct Person: Hashable, Sendable, CustomStringConvertible {
    var title: String?
    /// The name of the manager.
    var manager: String?
    /// Whether the person is a direct member of the storm's role.
    var isMember = false

    var description: String { "title \(title ?? "-"), manager \(manager ?? "-"), \(isMember ? "" : "no ")member" }
}

/// What clients know of the people they have changed, from the answers alone.
///
/// A person has one state after an acknowledged change, and two while a change has no definite answer. Such a person is not
/// changed again before the storm has read which of the two is true.
final class Model: Sendable {
    /// The states that a person can have, the last acknowledged one first. Nil stands for an absent person.
    typealias States = [Person?]

    private let people = Locked<[String: States]>([:])

    /// The state of a person whose last change has a definite answer; nil if the change has none yet.
    func settled(_ name: String) -> Person?? {
        people.withLock { people in
            let states = people[name] ?? [nil]
            return states.count == 1 ? .some(states[0]) : nil
        }
    }

    /// Notes that a change is about to be sent.
    func begin(_ name: String, _ next: Person?) {
        people.withLock { $0[name, default: [nil]].append(next) }
    }

    /// Notes the definite answer to the change that was begun.
    func end(_ name: String, wasMade: Bool) {
        people.withLock { people in
            guard let states = people[name], let last = states.last else { return }
            people[name] = wasMade ? [last] : Array(states.dropLast())
        }
    }

    /// The names of the people who exist by the last acknowledged change, and are not about to change.
    func existing() -> Set<String> {
        people.withLock { people in
            Set(people.filter { $0.value.count == 1 && $0.value[0] != nil }.keys)
        }
    }

    /// Compares the model with the directory while nobody changes it, and takes over which of two possible states is true.
    func compare(with found: [String: Person], _ judge: Judge) {
        people.withLock { people in
            for (name, states) in people {
                let state = found[name]
                if !states.contains(state) {
                    judge.report(
                        "the acknowledged state of \(name)",
                        expected: states.map { $0?.description ?? "absent" }.joined(separator: " or "),
                        found: state?.description ?? "absent")
                }
                // An absent name is never used again, and needs no memory.
                if state == nil { people[name] = nil } else { people[name] = [state] }
            }
            for name in found.keys where people[name] == nil {
                judge.report("the people", expected: "only those who were created", found: name)
            }
        }
    }
}
