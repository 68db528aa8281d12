public import Foundation

extension Date {
    /// Makes a moment from the milliseconds since 1970.
    @inlinable public init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The milliseconds since 1970, clamped to the range of 60 bits; 0 for a moment that is not a number.
    @inlinable public var milliseconds: Int64 {
        let value = (timeIntervalSince1970 * 1000).rounded()
        return value.isNaN ? 0 : Int64(min(max(value, -0x800_0000_0000_0000), 0x800_0000_0000_0000))
    }
}
