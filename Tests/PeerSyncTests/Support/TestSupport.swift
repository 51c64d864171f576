// What the tests of both targets share, for every file of this one.
@_exported import TestSupport
