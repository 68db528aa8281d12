import Testing

@testable import RosterServer

@Suite("The reserve of descriptors")
struct DescriptorReserveTests {
    @Test("A connection with one of the last descriptors empties the reserve, which is filled again after a pause")
    func emptiesAndFills() {
        var reserve = DescriptorReserve()
        reserve.renew(at: 1)
        reserve.noteConnection(5, at: 2)
        #expect(!reserve.isShort)
        reserve.noteConnection(.max, at: 3)
        #expect(reserve.isShort)
        reserve.renew(at: 4)
        #expect(reserve.isShort)
        reserve.renew(at: 3 + DescriptorReserve.pause)
        #expect(!reserve.isShort)
        reserve.release(at: 5 + DescriptorReserve.pause)
        #expect(reserve.isShort)
    }
}
