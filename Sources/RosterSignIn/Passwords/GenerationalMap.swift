/// A dictionary of bounded size that forgets what was not touched for longest, roughly.
///
/// Two generations: what is written or found goes into the young one; when that holds half of the capacity, the old one
/// is dropped whole and the young one becomes the old one. Every operation is a look-up or two, and nothing is ever
/// scanned.
struct GenerationalMap<Key: Hashable, Value> {
    /// The most entries at a time; at least 2.
    let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(capacity: Int) { self.capacity = max(capacity, 2) }

    /// The number of entries; one that was written again since it grew old counts twice.
    var count: Int { young.count + old.count }

    /// What is known of a key. What is found has been touched, and stays for longer.
    mutating func value(_ key: Key) -> Value? {
        if let value = young[key] { return value }
        guard !old.isEmpty, let value = old.removeValue(forKey: key) else { return nil }
        set(value, for: key)
        return value
    }

    /// Writes what is known of a key.
    mutating func set(_ value: Value, for key: Key) {
        if young.updateValue(value, forKey: key) == nil, young.count >= capacity / 2 {
            old = young
            young = [:]
        }
    }

    mutating func remove(_ key: Key) {
        young.removeValue(forKey: key)
        old.removeValue(forKey: key)
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
