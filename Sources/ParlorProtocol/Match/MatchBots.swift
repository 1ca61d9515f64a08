internal import ParlorGames

// Bots: seats that the sequencer's machine plays beside its own. See PROTOCOL.md, "Bots".
extension MatchMachine {
    /// Opens the vaults of the bots that this peer drives by the log, or makes them where the log has none.
    mutating func openBotVaults() {
        for bot in bots where log.state.seats[bot].driver == seat {
            let sealed = log.state.seats[bot].vault
            botVaults[bot] =
                SeatVault(seat: bot, match: match, sealed: sealed, identity: identity)
                ?? newVault(ofBot: bot, epoch: log.state.epoch)
        }
    }

    private func newVault(ofBot bot: Int, epoch: Int) -> SeatVault {
        SeatVault(seat: bot, match: match, secret: vault.secret(ofBot: bot, epoch: epoch))
    }

    /// Takes over what an entry holds of a secret of this peer that is not the one it has: the process that
    /// made it is gone.
    mutating func noteSecret(in entry: Entry) {
        let owner: Int
        let sealed: [UInt8]
        switch (entry.proposal.body, entry.proposal.author) {
        case (.chain(_, _, let vault), .seat(let seat)): (owner, sealed) = (seat, vault)
        case (.driver(let seat, _, _, _, let vault), _): (owner, sealed) = (seat, vault)
        default: return
        }
        guard snapshots.last?.seats[owner].driver == seat,
            sealed != vault(of: owner).sealed(identity: identity),
            let old = SeatVault(seat: owner, match: match, sealed: sealed, identity: identity)
        else { return }
        if owner == seat { vault = old } else { botVaults[owner] = old }
    }

    /// The first bot that another peer drives, who does not order the entries any more.
    func botToTakeOver(_ state: MatchState) -> Int? {
        bots.first { state.seats[$0].status != .left && state.seats[$0].driver != seat }
    }

    /// What the sequencer says to play a bot from here on.
    mutating func takeOver(_ bot: Int, _ state: MatchState) -> EntryBody {
        let vault = newVault(ofBot: bot, epoch: state.epoch)
        botVaults[bot] = vault
        return .driver(
            seat: bot, peer: signer.peer, end: vault.chainEnd, boxKey: vault.boxPublicKey,
            vault: vault.sealed(identity: identity))
    }

    /// Whoever orders the entries next plays the bots; what they wanted here is void.
    mutating func dropBotsProposals(_ actions: inout [Action]) {
        let dropped = pending.filter { $0.proposal.author != .seat(seat) }
        guard !dropped.isEmpty else { return }
        let own = Author.seat(seat)
        pending.removeAll { $0.proposal.author != own }
        let refusal = Refusal(.notInMatch, "another peer plays this bot now")
        for waiting in dropped {
            if let id = waiting.id { actions.append(.reply(id, .failure(.match(refusal)))) }
        }
    }
}
