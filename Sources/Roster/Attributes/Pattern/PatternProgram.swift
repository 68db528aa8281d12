/// The instructions of a pattern, and the simulation that runs them.
struct PatternProgram: Sendable {
    private enum Instruction {
        /// Goes on with the next instruction if the scalar is this one.
        case takeOnly(Unicode.Scalar)
        /// Goes on with the next instruction if the set contains the scalar.
        case take(ScalarSet)
        /// Goes on with both instructions, without taking a scalar.
        case split(Int, Int)
        case jump(Int)
        case accept
    }
    private var instructions: [Instruction] = []

    /// - Throws: ``PatternMistake`` for a pattern with too many instructions.
    init(_ node: PatternNode) throws {
        guard node.size <= Pattern.maximumSize else {
            throw PatternMistake(
                problem: "is too large, since its repetitions make more than \(Pattern.maximumSize) steps",
                advice: "Repeat less, or limit the length with the rules for lengths.")
        }
        append(node)
        instructions.append(.accept)
    }

    private mutating func append(_ node: PatternNode) {
        switch node {
        case .empty: break
        case .scalars(let set): instructions.append(set.only.map { .takeOnly($0) } ?? .take(set))
        case .sequence(let nodes): for node in nodes { append(node) }
        case .choice(let nodes): appendChoice(nodes[...])
        case .repetition(let node, let least, let most):
            for _ in 0..<least { append(node) }
            guard let most else {
                let split = appendSplit()
                append(node)
                instructions.append(.jump(split))
                instructions[split] = .split(split + 1, instructions.count)
                return
            }
            let splits = (least..<most).map { _ in
                let split = appendSplit()
                append(node)
                return split
            }
            for split in splits { instructions[split] = .split(split + 1, instructions.count) }
        }
    }

    private mutating func appendChoice(_ nodes: ArraySlice<PatternNode>) {
        var jumps: [Int] = []
        for node in nodes.dropLast() {
            let split = appendSplit()
            append(node)
            jumps.append(instructions.count)
            instructions.append(.accept)
            instructions[split] = .split(split + 1, instructions.count)
        }
        if let last = nodes.last { append(last) }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
    }

    /// Appends an instruction to be replaced by a split.
    private mutating func appendSplit() -> Int {
        instructions.append(.accept)
        return instructions.count - 1
    }

    /// Whether the instructions accept the whole text.
    func matches(_ text: String.UnicodeScalarView) -> Bool {
        var current: [Int] = []
        var following: [Int] = []
        var waiting: [Int] = []
        // The number of the step in which an instruction was last reached, so that each is reached once in a step.
        var reached = [Int](repeating: -1, count: instructions.count)
        func reach(_ start: Int, in step: Int, _ states: inout [Int]) {
            waiting.append(start)
            while let state = waiting.popLast() {
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
            following.removeAll(keepingCapacity: true)
            for state in current {
                let isTaken =
                    switch instructions[state] {
                    case .takeOnly(let only): only == scalar
                    case .take(let set): set.contains(scalar)
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
