public import Foundation

extension Date {
    /// A moment by the milliseconds since 1970.
    @inlinable package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The milliseconds since 1970, held within what 60 bits can say.
    @inlinable package var milliseconds: Int64 {
        let value = (timeIntervalSince1970 * 1000).rounded()
        return value.isNaN ? 0 : Int64(min(max(value, -0x800_0000_0000_0000), 0x800_0000_0000_0000))
    }
}
