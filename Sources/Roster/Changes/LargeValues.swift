import Foundation
import RosterStore
import RosterText

/// The replacement for a large value in the change feed: the number of bytes, and a checksum for comparisons. All
/// binary values are replaced, and text longer than ``maximumTextBytes``.
///
/// The checksum is FNV-1a with 64 bits. It does not detect deliberate collisions, because the core has no cryptography.
enum LargeValues {
    /// The longest text that the feed stores unchanged, in UTF-8 bytes.
    static let maximumTextBytes = 1_024

    static func isLarge(_ value: AttributeValue) -> Bool {
        switch value {
        case .binary: true
        case .string(let text): text.utf8.count > maximumTextBytes
        case .list(let elements): elements.contains(where: isLarge)
        case .complex(let parts): parts.values.contains(where: isLarge)
        case .integer, .decimal, .boolean, .time: false
        }
    }

    /// Replaces a large value, or large values within the value.
    static func shrunk(_ value: AttributeValue) -> AttributeValue {
        switch value {
        case .binary(let data): digest(data)
        case .string(let text) where isLarge(value): digest(text.utf8)
        case .list(let elements): .list(elements.map(shrunk))
        case .complex(let parts): .complex(parts.mapValues(shrunk))
        default: value
        }
    }

    /// Whether a value of the change feed, or an element of the value, replaces a value that was too large for the feed.
    static func isReplacement(_ value: AttributeValue) -> Bool {
        switch value {
        case .complex(let parts):
            Set(parts.keys) == ["bytes", "fnv1a"] || parts.values.contains(where: isReplacement)
        case .list(let elements): elements.contains(where: isReplacement)
        default: false
        }
    }

    private static func digest(_ bytes: some Collection<UInt8>) -> AttributeValue {
        .complex(["bytes": .integer(Int64(bytes.count)), "fnv1a": .string(FNV1a(bytes).text)])
    }

    /// Replaces the large values of existing entries.
    static func shrink(on connection: Connection) throws {
        var last: Int64 = 0
        while true {
            let rows = try connection.all(ChangeStatements.withLargeValues, [.integer(last)]) {
                (sequence: $0.integer(0), before: $0.optionalText(1), after: $0.optionalText(2))
            }
            for row in rows {
                func shrunk(_ text: String?) -> Binding {
                    .text(text.map { text in (try? AttributeSet(json: text))?.shrunk.json ?? text })
                }
                try connection.run(
                    ChangeStatements.setValues, [.integer(row.sequence), shrunk(row.before), shrunk(row.after)])
                last = row.sequence
            }
            if rows.isEmpty { return }
        }
    }
}

extension AttributeSet {
    /// The attributes after the replacement of large values.
    var shrunk: AttributeSet {
        contains { LargeValues.isLarge($0.value) } ? mapped { LargeValues.shrunk($0.value) } : self
    }
}
