/// The attributes that a search asks for (RFC 4511, section 4.5.1.8).
struct RequestedAttributes: Sendable {
    /// Whether all attributes of users are asked for: by `*`, or by an empty list.
    let all: Bool
    /// Whether all operational attributes are asked for (RFC 3673).
    let operational: Bool
    /// The canonical names, and the name with its options as it is returned.
    private let named: [String: String]

    init(_ list: [String]) {
        var (all, operational) = (list.isEmpty, false)
        var named: [String: String] = [:]
        for text in list {
            switch text {
            case "*": all = true
            case "+": operational = true
            case "1.1": continue
            default:
                // A name that is none is ignored, as RFC 4511 demands.
                guard let description = AttributeNames.Description(text), !description.isOfNoValue else { continue }
                named[description.name] = description.options.isEmpty ? "" : text
            }
        }
        (self.all, self.operational, self.named) = (all, operational, named)
    }

    func isNamed(_ name: String) -> Bool { !named.isEmpty && named[AttributeNames.canonical(name)] != nil }

    /// Whether an attribute of an entry is asked for.
    func includes(_ name: String, isOperational: Bool = false) -> Bool {
        (isOperational ? operational : all) || isNamed(name)
    }

    /// The name under which an attribute is returned: with the options that the client asked for.
    func shown(_ name: String) -> String {
        guard !named.isEmpty, let asked = named[AttributeNames.canonical(name)], !asked.isEmpty,
            let options = asked.firstIndex(of: ";")
        else { return name }
        return name + asked[options...]
    }
}
