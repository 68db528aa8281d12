/// The instructions of a pattern, and the simulation that runs them.
struct PatternProgram: Sendable {
    private enum Instruction {
        /// Goes on with the next instruction if the scalar is this one.
        case takeOnly(Unicode.Scalar)
        /// Goes on with the next instruction if the set with this number contains the scalar.
        case take(Int)
        /// Goes on with both instructions, without taking a scalar.
        case split(Int, Int)
        case jump(Int)
        case accept
    }
    private var instructions: [Instruction] = []
    /// The sets of the instructions. A repeated set is listed once, so that a scalar is compared with it once.
    private var sets: [ScalarSet] = []

    /// - Throws: ``PatternMistake`` for a pattern with too many instructions.
    init(_ node: PatternNode) throws {
        guard node.size <= Pattern.maximumSize else {
            throw PatternMistake(
                problem: "is too large, since its repetitions make more than \(Pattern.maximumSize) steps",
                advice: "Repeat less, or limit the length with the rules for lengths.")
        }
        var numbers: [ScalarSet: Int] = [:]
        append(node, &numbers)
        instructions.append(.accept)
    }

    /// - Parameter numbers: The numbers of the sets.
    private mutating func append(_ node: PatternNode, _ numbers: inout [ScalarSet: Int]) {
        switch node {
        case .empty: break
        case .scalars(let set): instructions.append(set.only.map { .takeOnly($0) } ?? .take(number(of: set, &numbers)))
        case .sequence(let nodes): for node in nodes { append(node, &numbers) }
        case .choice(let nodes): appendChoice(nodes[...], &numbers)
        case .repetition(let node, let least, let most):
            for _ in 0..<least { append(node, &numbers) }
            guard let most else {
                let split = appendSplit()
                append(node, &numbers)
                instructions.append(.jump(split))
                instructions[split] = .split(split + 1, instructions.count)
                return
            }
            let splits = (least..<most).map { _ in
                let split = appendSplit()
                append(node, &numbers)
                return split
            }
            for split in splits { instructions[split] = .split(split + 1, instructions.count) }
        }
    }

    private mutating func number(of set: ScalarSet, _ numbers: inout [ScalarSet: Int]) -> Int {
        if let known = numbers[set] { return known }
        sets.append(set)
        numbers[set] = sets.count - 1
        return sets.count - 1
    }

    private mutating func appendChoice(_ nodes: ArraySlice<PatternNode>, _ numbers: inout [ScalarSet: Int]) {
        var jumps: [Int] = []
        for node in nodes.dropLast() {
            let split = appendSplit()
            append(node, &numbers)
            jumps.append(instructions.count)
            instructions.append(.accept)
            instructions[split] = .split(split + 1, instructions.count)
        }
        if let last = nodes.last { append(last, &numbers) }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
    }

    /// Appends an instruction to be replaced by a split.
    private mutating func appendSplit() -> Int {
        instructions.append(.accept)
        return instructions.count - 1
    }

    /// Whether the instructions accept the whole text; nil if that takes more steps than are left.
    func matches(_ text: String.UnicodeScalarView, _ steps: inout Int) -> Bool? {
        var current: [Int] = []
        var following: [Int] = []
        var waiting: [Int] = []
        // The number of the step in which an instruction was last reached, so that each is reached once in a step.
        var reached = [Int](repeating: -1, count: instructions.count)
        // Whether a set contains the scalar of a step, and the number of that step.
        var answers = [(step: Int, isIn: Bool)](repeating: (0, false), count: sets.count)
        var left = steps
        defer { steps = left }
        func reach(_ start: Int, in step: Int, _ states: inout [Int]) {
            waiting.append(start)
            while let state = waiting.popLast() {
                left -= 1
                guard reached[state] != step else { continue }
                reached[state] = step
                switch instructions[state] {
                case .split(let one, let other):
                    waiting.append(other)
                    waiting.append(one)
                case .jump(let target): waiting.append(target)
                case .takeOnly, .take, .accept: states.append(state)
                }
            }
        }
        reach(0, in: 0, &current)
        var step = 0
        for scalar in text {
            step += 1
            guard left > 0 else { return nil }
            following.removeAll(keepingCapacity: true)
            func contains(_ number: Int) -> Bool {
                if answers[number].step != step {
                    answers[number] = (step, sets[number].contains(scalar))
                    left -= sets[number].parts.count
                }
                return answers[number].isIn
            }
            for state in current {
                let isTaken =
                    switch instructions[state] {
                    case .takeOnly(let only): only == scalar
                    case .take(let number): contains(number)
                    case .split, .jump, .accept: false
                    }
                if isTaken { reach(state + 1, in: step, &following) }
            }
            swap(&current, &following)
            if current.isEmpty { return false }
        }
        return current.contains { if case .accept = instructions[$0] { true } else { false } }
    }
}
