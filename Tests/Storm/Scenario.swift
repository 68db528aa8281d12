import Foundation
import RosterText
import TestSupport

/// Something that the articles allow, or a fault.
struct Scenario: Sendable {
    let name: String
    let run: @Sendable (World, inout SeededNumbers) throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (World, inout SeededNumbers) throws -> Void) {
        (self.name, self.run) = (name, run)
    }
}

/// Deals scenarios so that each is dealt once before any is dealt again.
struct Deck {
    private let all: [Scenario]
    private var rest: [Scenario] = []

    init(_ all: [Scenario]) { self.all = all }

    mutating func keep(_ name: String) { self = Deck(all.filter { $0.name == name }) }

    mutating func deal(_ numbers: inout SeededNumbers) -> Scenario? {
        if rest.isEmpty { rest = all.shuffled(using: &numbers) }
        return rest.popLast()
    }
}

/// The steps of a storm: two uses and LDAP clients at the same time, under load and beside a fault, and what must hold afterwards.
struct Steps {
    /// How long uses run if no fault decides.
    private static let duration = 4.0

    private var uses: Deck
    private var faults: Deck
    private var numbers: SeededNumbers
    private var chosen: [Scenario] = []
    private var fault: Scenario?

    /// - Parameter fault: The name of the only fault; nil for all of them.
    init(_ engine: StormEngine, seed: UInt64, fault: String?) {
        numbers = SeededNumbers(seed: seed)
        switch engine {
        case .file:
            uses = Deck(Scenario.fileUses + Scenario.administration + Scenario.restores + Scenario.apps)
            faults = Deck(Scenario.quiet + Scenario.processFaults + Scenario.fileFaults)
        case .postgreSQL:
            uses = Deck(Scenario.serverUses + Scenario.administration)
            faults = Deck(Scenario.quiet + Scenario.processFaults + Scenario.pairFaults)
        }
        if let fault { faults.keep(fault) }
    }

    /// Chooses the scenarios of the next step.
    mutating func choose() {
        chosen = [uses.deal(&numbers), uses.deal(&numbers)].compactMap(\.self) + [.ldapClients]
        fault = faults.deal(&numbers)
    }

    /// The names of the scenarios of the step.
    var name: String { (chosen + [fault].compactMap(\.self)).map(\.name).joined(separator: " + ") }

    /// Runs the step.
    mutating func run(in world: World) throws {
        world.isStepOver = false
        world.load?.resume()
        let group = DispatchGroup()
        for use in chosen {
            let seed = numbers.next()
            Self.onThread(group) {
                var numbers = SeededNumbers(seed: seed)
                repeat {
                    Self.reporting(use, world) { try use.run(world, &numbers) }
                } while !world.isStepOver && !world.judge.hasFindings
            }
        }
        var own = SeededNumbers(seed: numbers.next())
        if let fault { Self.reporting(fault, world) { try fault.run(world, &own) } }
        world.wait(Self.duration)
        world.isStepOver = true
        group.wait()
        // A server that has ended is found here, also if no request has met it.
        for server in world.servers { _ = server.reportsEnd() }
        world.load?.pause()
        try world.restartEnded()
        try world.verify()
    }

    private static func onThread(_ group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        Thread.detachNewThread {
            body()
            group.leave()
        }
    }

    private static func reporting(_ scenario: Scenario, _ world: World, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            world.judge.report(scenario.name, expected: "an end without an error", found: "\(error)")
        }
    }
}
