/// A part of a parsed pattern.
indirect enum PatternNode {
    case empty
    case scalars(ScalarSet)
    case sequence([PatternNode])
    case choice([PatternNode])
    case repetition(PatternNode, least: Int, most: Int?)

    /// The number of instructions of the part, without overflow. Every part counts at least one, so that building the
    /// program takes no more steps than the number says.
    var size: Int {
        func sum(_ nodes: [PatternNode], and more: Int) -> Int {
            nodes.reduce(more) { Self.add($0, $1.size) }
        }
        switch self {
        case .empty, .scalars: return 1
        case .sequence(let nodes): return sum(nodes, and: 1)
        case .choice(let nodes): return sum(nodes, and: 2 * nodes.count)
        case .repetition(let node, let least, let most):
            let size = node.size
            let needed = Self.multiply(size, least)
            guard let most else { return Self.add(needed, size + 2) }
            return Self.add(needed, Self.add(Self.multiply(Self.add(size, 1), most - least), 1))
        }
    }

    private static let most = 1 << 40

    private static func add(_ left: Int, _ right: Int) -> Int { min(left + right, most) }

    private static func multiply(_ left: Int, _ right: Int) -> Int {
        let (product, overflows) = left.multipliedReportingOverflow(by: right)
        return overflows ? most : min(product, most)
    }
}
