import RosterStore

/// Keys of text or numbers as one text that has their order, for PostgreSQL, whose columns have one type.
enum StoredKey {
    /// The text of a key; nil for no key. Numbers come before text, as on SQLite.
    static func text(_ key: Binding) -> String? {
        switch key {
        case .null: nil
        case .text(let text): "t" + text
        case .integer(let number): "n" + sortable(number)
        case .real(let number): "n" + sortable(number)
        }
    }

    /// A key as the table of values stores it on PostgreSQL: numbers in their text, which no text of the same attribute meets.
    static func inTable(_ key: Binding) -> Binding {
        switch key {
        case .null, .text: key
        case .integer, .real: .text(text(key))
        }
    }

    /// The 16 digits of the floating-point number at or below the integer, then the distance to the integer.
    private static func sortable(_ number: Int64) -> String {
        var nearest = Double(number)
        // Rounding can go beyond the integer, and beyond the largest one.
        if nearest >= 0x1p63 || Int64(nearest) > number { nearest = nearest.nextDown }
        return digits(nearest) + padded(UInt64(bitPattern: number &- Int64(nearest)), 4)
    }

    private static func sortable(_ number: Double) -> String { digits(number) + "0000" }

    /// 16 digits that sort as the numbers do.
    private static func digits(_ number: Double) -> String {
        let bits = (number == 0 ? 0 : number).bitPattern
        return padded(bits >> 63 == 0 ? bits | 1 << 63 : ~bits, 16)
    }

    private static func padded(_ number: UInt64, _ count: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}

extension Connection {
    /// A key of a value in the form in which the engine stores it.
    func stored(_ key: Binding) -> Binding { kind == .sqlite ? key : StoredKey.inTable(key) }
}
