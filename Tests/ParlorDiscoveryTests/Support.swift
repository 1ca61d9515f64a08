import Foundation
import ParlorDiscovery

/// Records as tests want them: everything filled in, told apart by one number.
func record(_ number: UInt8 = 1, name: String = "Kitchen", host: UInt8? = nil, epoch: UInt64 = 0)
    -> RoomRecord
{
    RoomRecord(
        roomID: [UInt8](repeating: number, count: 16), hostID: [UInt8](repeating: host ?? number, count: 32),
        name: name, game: "snap", taken: 1, seats: 4, epoch: epoch, hostName: "Ann", port: 27_720)
}

func id(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 16) }

func strings(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

/// A small, seeded source of chance (SplitMix64).
struct Chance {
    var state: UInt64
    mutating func next(below limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
    }
}

/// Collects events from a backend's thread, and lets a test wait for what it expects.
final class Recorder: @unchecked Sendable {
    private let condition = NSCondition()
    private var events: [DiscoveryEvent] = []

    func add(_ event: DiscoveryEvent) {
        condition.withLock {
            events.append(event)
            condition.broadcast()
        }
    }

    var all: [DiscoveryEvent] { condition.withLock { events } }

    /// The rooms that are to be seen after all that was reported.
    var rooms: [[UInt8]: DiscoveredRoom] {
        var rooms: [[UInt8]: DiscoveredRoom] = [:]
        for event in all {
            switch event {
            case .found(let room), .changed(let room): rooms[room.record.roomID] = room
            case .lost(let room): rooms[room.record.roomID] = nil
            case .state, .published, .renamed, .failed: break
            }
        }
        return rooms
    }

    var words: [DiscoveryState.Word] {
        all.compactMap { if case .state(let state) = $0 { state.word } else { nil } }
    }

    /// Waits until the condition holds.
    ///
    /// Deadlines are generous: they end a test that hangs, they measure nothing.
    func wait(seconds: Double = 30, for isTrue: (Recorder) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        while !isTrue(self) {
            condition.lock()
            let isLate = !condition.wait(until: min(end, Date(timeIntervalSinceNow: 0.05))) && Date() > end
            condition.unlock()
            if isLate { return isTrue(self) }
        }
        return true
    }

    func waitFor(_ event: DiscoveryEvent, seconds: Double = 30) -> Bool {
        wait(seconds: seconds) { $0.all.contains(event) }
    }
}
