/// The version of the program and of its libraries, as `roster version` and the metrics tell it.
package let programVersion = "0.12.0"
