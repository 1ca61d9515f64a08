import ParlorControl
import Testing

struct JSONTests {
    @Test(arguments: [
        #"null"#, #"true"#, #"[]"#, #"{}"#, #"{"b":1,"a":[-7,0.5,"x",null]}"#, #""é \" \\ \n""#,
        #"9223372036854775807"#,
        #"1e+20"#,
    ])
    func `what is canonical is written as it was read`(text: String) throws {
        #expect(try JSON(parsing: text).encodedText == text)
    }

    @Test(arguments: ["-0.0", "-0", "0.0", "-0e5"])
    func `nought has no sign, so that it is read as it was written`(text: String) throws {
        #expect(try JSON(parsing: text).encodedText == "0")
    }

    @Test func `spaces, escapes and surrogate pairs are understood`() throws {
        let json = try JSON(parsing: " {\t\"a\" : \"\\u00e9\\uD83C\\uDCA1\\/\" ,\r\n\"b\":[ 1 , 2.50 ] } ")
        #expect(json == ["a": "é🂡/", "b": [1, .double(2.5)]])
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "01", "1.", "-", "1e", "tru", "\"a", "\"\u{1}\"",
        #""\x""#,
        #""\ud800""#, #""\ud800\u0041""#, #"{"a":1,"a":2}"#, "1 2", "1e999", "nul", "+1", "'a'", "[1 2]",
    ])
    func `what is not JSON is refused`(text: String) {
        #expect(throws: JSONError.self) { try JSON(parsing: text) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: JSONError.self) { try JSON(parsing: [0x22, 0xFF, 0x22]) }
        #expect(throws: JSONError.self) { try JSON(parsing: [0x22, 0x5C, 0x6E, 0xC3, 0x22]) }
    }

    @Test func `sixty-four levels are read and one more is not`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try JSON(parsing: nested(JSONLimits.depthMax))
        #expect(throws: JSONError.self) { try JSON(parsing: nested(JSONLimits.depthMax + 1)) }
        #expect(throws: JSONError.self) { try JSON(parsing: nested(1_000_000)) }
    }

    @Test func `a text longer than a line is refused`() {
        let text = [UInt8](repeating: 0x20, count: JSONLimits.bytesMax) + [0x31]
        #expect(throws: JSONError.self) { try JSON(parsing: text) }
    }

    @Test(arguments: UInt64(1)...200)
    func `damaged text is refused or read but never traps`(seed: UInt64) {
        let good = #"{"jsonrpc":"2.0","id":7,"method":"room.host","params":{"n":[1.5e3,"\u00e9"],"t":true}}"#
        var bytes = Array(good.utf8)
        var state = seed
        for _ in 0..<3 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes[Int(state >> 33) % bytes.count] = UInt8(truncatingIfNeeded: state >> 20)
        }
        if let json = try? JSON(parsing: bytes) {
            #expect((try? JSON(parsing: json.encoded())) == json)
        }
    }

    @Test func `sorted names make one form of equal objects`() {
        let json: JSON = ["b": 1, "a": ["d": 1, "c": 2]]
        #expect(
            String(decoding: json.encoded(sortedKeys: true), as: UTF8.self) == #"{"a":{"c":2,"d":1},"b":1}"#)
    }

    @Test func `control characters are escaped and infinities become null`() {
        #expect(JSON.string("\u{1B}\u{7F}").encodedText == #""\u001b\u007f""#)
        #expect(JSON.double(.infinity).encodedText == "null")
        #expect(JSON.double(3).encodedText == "3")
    }

    @Test func `members are set, replaced and removed in place`() {
        var json: JSON = ["a": 1, "b": 2]
        json["a"] = 3
        json["c"] = true
        json["b"] = nil
        #expect(json == ["a": 3, "c": true])
    }

    @Test func `hex goes both ways and refuses what it is not`() {
        #expect(Hex.encode([0, 0x7F, 0xFF]) == "007fff")
        #expect(Hex.decode("007FfF") == [0, 0x7F, 0xFF])
        #expect(Hex.decode("0") == nil)
        #expect(Hex.decode("0g") == nil)
        #expect(Hex.decode("00ff", count: 16) == nil)
    }
}
