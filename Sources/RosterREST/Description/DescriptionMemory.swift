import RosterText

/// The text of the description of the interfaces, which is made at the first request.
final class DescriptionMemory: Sendable {
    private let made = Locked<[UInt8]?>(nil)

    func bytes(_ make: () -> [UInt8]) -> [UInt8] {
        made.withLock { made in
            let bytes = made ?? make()
            made = bytes
            return bytes
        }
    }
}
