/// A dictionary of bounded size that drops roughly the entries that were not used for longest.
///
/// Entries that are written or found go into a young generation. When it holds half of the capacity, the old generation is dropped and
/// the young one takes its place. Each operation costs one or two look-ups.
package struct GenerationalMap<Key: Hashable, Value> {
    /// The largest number of entries; at least 2.
    let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    package init(capacity: Int) { self.capacity = max(capacity, 2) }

    /// The number of entries; one that was written again since it grew old counts twice.
    package var count: Int { young.count + old.count }

    /// The value of a key, which becomes young.
    package mutating func value(_ key: Key) -> Value? {
        if let value = young[key] { return value }
        guard !old.isEmpty, let value = old.removeValue(forKey: key) else { return nil }
        set(value, for: key)
        return value
    }

    package mutating func set(_ value: Value, for key: Key) {
        if young.updateValue(value, forKey: key) == nil, young.count >= capacity / 2 {
            old = young
            young = [:]
        }
    }

    package mutating func remove(_ key: Key) {
        young.removeValue(forKey: key)
        old.removeValue(forKey: key)
    }

    package mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
