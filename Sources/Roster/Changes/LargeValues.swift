import Foundation
import RosterStore
import RosterText

/// What stands in the change feed in place of a large value: how many bytes it had, and a checksum that tells whether two
/// values are the same. Bytes are always replaced; text, from ``maximumTextBytes`` on.
///
/// The checksum is FNV-1a, 64 bits. It is no proof against somebody who makes two values alike on purpose: the core has no
/// cryptography, which comes with sign-in.
enum LargeValues {
    /// The longest text that stands in the feed as it is, in UTF-8 bytes.
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

    /// The value with what is large in it replaced.
    static func told(_ value: AttributeValue) -> AttributeValue {
        switch value {
        case .binary(let data): digest(data)
        case .string(let text) where isLarge(value): digest(text.utf8)
        case .list(let elements): .list(elements.map(told))
        case .complex(let parts): .complex(parts.mapValues(told))
        default: value
        }
    }

    private static func digest(_ bytes: some Collection<UInt8>) -> AttributeValue {
        .complex(["bytes": .integer(Int64(bytes.count)), "fnv1a": .string(FNV1a(bytes).text)])
    }

    /// Replaces the large values of changes that were told before.
    static func shrink(on connection: Connection) throws {
        var last: Int64 = 0
        while true {
            let rows = try connection.all(ChangeStatements.withLargeValues, [.integer(last)]) {
                (sequence: $0.integer(0), before: $0.optionalText(1), after: $0.optionalText(2))
            }
            for row in rows {
                func told(_ text: String?) -> Binding {
                    .text(text.map { text in (try? AttributeSet(json: text))?.told.json ?? text })
                }
                try connection.run(
                    ChangeStatements.setValues, [.integer(row.sequence), told(row.before), told(row.after)])
                last = row.sequence
            }
            if rows.isEmpty { return }
        }
    }
}

extension AttributeSet {
    /// The attributes with their large values replaced.
    var told: AttributeSet {
        contains { LargeValues.isLarge($0.value) } ? mapped { LargeValues.told($0.value) } : self
    }
}
