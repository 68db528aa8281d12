import Foundation
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Runs documented uses of a directory at the same time, under load and under faults, and looks for what is lost.
// Usage: roster-storm PROGRAM [--seed N] [--seconds N] [--engine file|postgresql] [--fault NAME]

signal(SIGPIPE, SIG_IGN)
var words = Array(CommandLine.arguments.dropFirst())
if words.first == AppProcess.word { AppProcess.run(Array(words.dropFirst())) }

func usage() -> Never {
    FileHandle.standardError.write(
        Data("usage: roster-storm PROGRAM [--seed N] [--seconds N] [--engine file|postgresql] [--fault NAME]\n".utf8))
    exit(64)
}

guard !words.isEmpty else { usage() }
let program = URL(fileURLWithPath: words.removeFirst()).path
var seed = UInt64.random(in: 1...999_999)
var seconds = 90.0
var isOnServer = false
var fault: String?
while !words.isEmpty {
    let option = words.removeFirst()
    guard let value = words.first else { usage() }
    words.removeFirst()
    switch (option, value) {
    case ("--seed", _): seed = UInt64(value) ?? seed
    case ("--seconds", _): seconds = Double(value) ?? seconds
    case ("--fault", _): fault = value
    case ("--engine", "file"): isOnServer = false
    case ("--engine", "postgresql"): isOnServer = true
    default: usage()
    }
}

do {
    let storm = try Storm(program, isOnServer: isOnServer, seed: seed, fault: fault)
    exit(try storm.run(seconds: seconds) ? 0 : 1)
} catch {
    say("seed \(seed): the storm could not run: \(error)")
    exit(2)
}
