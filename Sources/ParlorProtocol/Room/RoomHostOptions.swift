internal import ParlorGames

// What a host decides about the options of its game.
extension RoomHost {
    /// Changes some options, between matches.
    mutating func setOptions(_ given: [Value.Member], _ actions: inout [Action]) -> RoomRefusal? {
        guard state.isGathering else { return RoomRefusal(.busy, "a match is on in \(state.name)") }
        guard let declaration = Catalog.rules(state.game)?.declaration else {
            return RoomRefusal(.badParams, "the game '\(state.game)' is not known here")
        }
        do throws(Refusal) {
            let kept = state.options.values.filter { old in !given.contains { $0.name == old.name } }
            state.options = try GameOptions(declaration, given: kept + given)
            let isAboutWatching = given.contains { $0.name == "watchers" }
            return isAboutWatching ? setWatchable(state.options.bool("watchers"), &actions) : nil
        } catch {
            return RoomRefusal(.badParams, error.message)
        }
    }
}
