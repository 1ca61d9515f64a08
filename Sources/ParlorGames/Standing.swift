/// How good a seat's end is: more points first, then the later exit.
struct Standing: Hashable, Comparable, Sendable {
    /// Cards or score.
    let points: Int
    /// When the seat went out of the game, as a count; seats never out have the highest.
    let outAt: Int

    static func < (one: Standing, other: Standing) -> Bool {
        (one.points, one.outAt) < (other.points, other.outAt)
    }

    /// Turns standings by seat into outcomes; `nil` is a seat that left.
    ///
    /// Two seats have `won`, `lost` or `tied`; more have places, shared by equal seats, or are all `tied`.
    static func outcomes(_ standings: [Standing?]) -> [Outcome] {
        let ranked = standings.compactMap { $0 }
        let isTied = ranked.count > 1 && ranked.allSatisfy { $0 == ranked[0] }
        return standings.map { standing in
            guard let standing else { return .quit }
            guard !isTied else { return .tied }
            let better = ranked.count { $0 > standing }
            if standings.count <= 2 { return better == 0 ? .won : .lost }
            let places: [Outcome] = [.first, .second, .third, .fourth]
            return places[min(better, places.count - 1)]
        }
    }
}
