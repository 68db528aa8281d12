// The module consists of headers of the system; SwiftPM wants a source file.
