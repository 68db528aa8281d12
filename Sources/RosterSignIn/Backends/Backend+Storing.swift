import Foundation
import Roster
import RosterStore
import RosterText

/// A backend as a row of its table, and as an entry of the change feed.
extension Backend {
    init(
        _ row: borrowing Row,
        _ read: (BackendID, String) throws -> BackendSettings = { try BackendSettings(stored: $1) }
    ) throws {
        id = BackendID(rawValue: row.integer(0))
        name = row.text(1)
        version = row.text(2)
        clientID = row.text(3)
        backendID = row.text(4)
        secretDigest = row.optionalText(5)
        sealedSecret = row.optionalText(6)
        anonymousDigest = row.optionalText(7)
        settings = try read(id, row.text(8))
        created = Date(milliseconds: row.integer(9))
        maker = row.optionalText(10)
        makerName = row.optionalText(11)
        epoch = row.integer(12)
    }

    /// The values of the columns that can be changed.
    var bindings: [Binding] {
        [
            .integer(id.rawValue), .text(name), .text(version), .text(clientID), .text(backendID), .text(secretDigest),
            .text(sealedSecret), .text(anonymousDigest), .text(settings.document.written),
        ]
    }

    /// The properties for the change feed. A secret appears only as the fact that it was changed.
    func told(beside other: Backend? = nil) -> AttributeSet {
        var told: AttributeSet = [
            "name": .string(name), "version": .string(version), "clientId": .string(clientID),
            "backendId": .string(backendID), "settings": .string(settings.document.written),
        ]
        if let other, other.secretDigest != secretDigest { told["secretChanged"] = true }
        if let other, other.anonymousDigest != anonymousDigest { told["anonymousKeyChanged"] = true }
        return told
    }
}
