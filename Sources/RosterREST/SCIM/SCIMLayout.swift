import Roster
import RosterText

/// The place of each stored attribute in a response, and the part of each that the request selects.
///
/// The layout of the usual attributes is made once for a vocabulary; a request that names attributes has its own.
struct SCIMLayout: Sendable {
    /// A stored attribute and its member in a resource.
    struct Column: Sendable {
        /// The object that the member is in: the resource itself, its `name`, or one of its extensions.
        enum Object: Int, Sendable, CaseIterable {
            case resource, name, enterprise, directory
        }

        let object: Object
        /// A comma, and the member's name with a colon.
        let member: [UInt8]
        /// Whether the values are elements of a complex attribute, which the directory may keep in their short form.
        let hasElements: Bool
        /// Whether the member is `roles`, in which the user's groups stand as well.
        let isRoles: Bool
        let shown: SCIMProjection.Shown
    }

    /// The columns that the response shows, in the order of the bytes of the attributes' names.
    let columns: [Column]
    /// The names of the columns' attributes in a row, and the offset at which each name ends.
    private let names: [UInt8]
    private let ends: [Int]
    /// Whether the response shows these members of the resource, and the unique name of a group.
    let externalID, userName, active, displayName, uniqueName: Bool
    /// How much the response shows of these members.
    let groups, roles, manager, members, meta: SCIMProjection.Shown

    /// Whether the memberships of a user have to be read.
    var needsMemberships: Bool { !groups.isNothing || !roles.isNothing }

    /// Makes a layout.
    ///
    /// - Parameter projection: The attributes that the request wants; nil for the usual ones.
    init(_ places: [AttributeName: SCIMPlaces.Place], _ projection: SCIMProjection?) {
        func shown(_ name: String, in urn: String? = nil) -> SCIMProjection.Shown {
            projection?.shown(name, in: urn) ?? .whole
        }
        let found = places.compactMap { attribute, place -> (name: [UInt8], column: Column)? in
            let (object, name, isShown): (Column.Object, String, SCIMProjection.Shown)
            switch place {
            case .top(let key): (object, name, isShown) = (.resource, key, shown(key))
            case .name(let key): (object, name, isShown) = (.name, key, shown("name").part(key))
            case .inExtension(SCIMResourceType.enterpriseURN, let key):
                (object, name, isShown) = (.enterprise, key, shown(key, in: SCIMResourceType.enterpriseURN))
            case .inExtension(let urn, let key): (object, name, isShown) = (.directory, key, shown(key, in: urn))
            }
            if case .nothing = isShown { return nil }
            var member = [UInt8(ascii: ",")]
            JSONText.append(name: name, to: &member)
            let column = Column(
                object: object, member: member, hasElements: object == .resource,
                isRoles: object == .resource && name == "roles", shown: isShown)
            return (Array(attribute.rawValue.utf8), column)
        }.sorted { $0.name.lexicographicallyPrecedes($1.name) }
        columns = found.map(\.column)
        names = found.flatMap(\.name)
        ends = found.reduce(into: []) { ends, entry in ends.append((ends.last ?? 0) + entry.name.count) }
        (externalID, active) = (!shown("externalId").isNothing, !shown("active").isNothing)
        (userName, displayName) = (!shown("userName").isNothing, !shown("displayName").isNothing)
        uniqueName = !shown("name", in: SCIMResourceType.groupExtensionURN).isNothing
        (groups, roles, members) = (shown("groups"), shown("roles"), shown("members"))
        (manager, meta) = (shown("manager", in: SCIMResourceType.enterpriseURN), shown("meta"))
    }

    /// The index of a stored attribute's column; nil if the response does not show the attribute.
    func column(of attribute: UnsafeBufferPointer<UInt8>) -> Int? {
        names.withUnsafeBufferPointer { names in
            ends.withUnsafeBufferPointer { ends in
                var (low, high) = (0, ends.count)
                while low < high {
                    let middle = (low + high) / 2
                    let start = middle == 0 ? 0 : ends[middle - 1]
                    let order = Self.order(names, start..<ends[middle], attribute)
                    if order == 0 { return middle }
                    if order < 0 { low = middle + 1 } else { high = middle }
                }
                return nil
            }
        }
    }

    @inline(__always)
    private static func order(
        _ names: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ other: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let common = min(range.count, other.count)
        var index = 0
        while index < common {
            let (left, right) = (names[range.lowerBound &+ index], other[index])
            if left != right { return Int(left) &- Int(right) }
            index &+= 1
        }
        return range.count - other.count
    }
}
