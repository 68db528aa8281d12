/// A type whose mirror shows nothing, because its values hold secrets. Dumping such a value prints only its description.
public protocol Redacted: CustomReflectable {}

extension Redacted {
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
