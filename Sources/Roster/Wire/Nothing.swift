/// The answer to an operation without a result.
package struct Nothing: WireValue, Codable, Equatable {}
