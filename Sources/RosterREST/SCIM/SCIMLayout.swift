import Roster
import RosterText

/// Where a response puts each stored attribute, and how much of each the request wants to see.
///
/// The layout of the usual attributes is made once for a vocabulary; a request that names attributes has its own.
struct SCIMLayout: Sendable {
    /// A stored attribute and its member in a resource.
    struct Column: Sendable {
        /// The object that the member stands in: the resource itself, its `name`, or one of its extensions.
        enum Object: Int, Sendable, CaseIterable {
            case resource, name, enterprise, directory
        }

        /// The stored attribute's name in UTF-8.
        let attribute: [UInt8]
        let object: Object
        /// A comma, and the member's name with a colon.
        let member: [UInt8]
        /// Whether the values are elements of a complex attribute, which the directory may keep in their short form.
        let hasElements: Bool
        /// Whether the member is `roles`, in which the user's groups stand as well.
        let isRoles: Bool
        let shown: SCIMProjection.Shown
    }

    /// The columns that the response shows, in the order of the attributes' bytes.
    let columns: [Column]
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
        columns = places.compactMap { attribute, place -> Column? in
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
            return Column(
                attribute: Array(attribute.rawValue.utf8), object: object, member: member,
                hasElements: object == .resource, isRoles: object == .resource && name == "roles", shown: isShown)
        }.sorted { $0.attribute.lexicographicallyPrecedes($1.attribute) }
        (externalID, active) = (!shown("externalId").isNothing, !shown("active").isNothing)
        (userName, displayName) = (!shown("userName").isNothing, !shown("displayName").isNothing)
        uniqueName = !shown("name", in: SCIMResourceType.groupExtensionURN).isNothing
        (groups, roles, members) = (shown("groups"), shown("roles"), shown("members"))
        (manager, meta) = (shown("manager", in: SCIMResourceType.enterpriseURN), shown("meta"))
    }

    /// The index of a stored attribute's column; nil if the response does not show the attribute.
    func column(of attribute: UnsafeBufferPointer<UInt8>) -> Int? {
        var (low, high) = (0, columns.count)
        while low < high {
            let middle = (low + high) / 2
            let order = columns[middle].attribute.withUnsafeBufferPointer { Self.order($0, attribute) }
            if order == 0 { return middle }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    private static func order(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return Int(left[index]) - Int(right[index])
        }
        return left.count - right.count
    }
}
