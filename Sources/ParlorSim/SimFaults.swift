public import ParlorProtocol

extension SimNetwork {
    /// Changes what happens to packets from one node to another, from now on.
    public mutating func setConditions(_ conditions: NetworkConditions, from sender: Int, to receiver: Int) {
        let place = direction(sender, receiver)
        directions[place].conditions = conditions
        directions[place].datagrams.conditions = conditions
        for (id, side) in sides(sender, receiver) { streams[id]?.sides[side].line.conditions = conditions }
    }

    /// Whether a node takes connections from now on.
    public mutating func setListening(_ isListening: Bool, at node: Int) {
        self.isListening[node] = isListening
    }

    /// Nothing from one node reaches another until a true moment; then all of it does.
    public mutating func stall(from sender: Int, to receiver: Int, until truth: Tick) {
        let place = direction(sender, receiver)
        directions[place].stalledUntil = max(directions[place].stalledUntil, truth)
    }

    /// Resets all streams between two nodes; both learn it at once, and bytes on their way are lost.
    public mutating func cutStreams(between one: Int, _ other: Int) {
        for (id, _) in sides(one, other) { cut(id) }
    }

    /// Resets a stream.
    public mutating func cut(_ id: StreamID) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        for side in 0...1 where !stream.sides[side].isDone && (side == 0 || stream.isOpen) {
            queue.schedule(.event(node: stream.nodes[side], .ended(id, .reset)), at: now)
        }
    }

    /// From now on, the bytes that one node writes to the streams there are to another vanish unnoticed.
    public mutating func halfOpen(from sender: Int, to receiver: Int) {
        for (id, side) in sides(sender, receiver) { streams[id]?.sides[side].line.halfOpen() }
    }

    /// Parts the nodes: nothing passes between two that are in different sets; those named in none are
    /// together.
    ///
    /// Streams across stay, and go on after ``heal()``; datagrams on their way are lost.
    public mutating func partition(_ sets: [Set<Int>]) {
        for node in 0..<nodeCount { parts[node] = 1 + (sets.firstIndex { $0.contains(node) } ?? sets.count) }
        resumeStreams()
    }

    /// Ends a partition.
    public mutating func heal() {
        parts = Array(repeating: 0, count: nodeCount)
        resumeStreams()
    }

    private mutating func resumeStreams() {
        for (id, stream) in streams.sorted(by: { $0.key < $1.key }) where isJoined(stream) {
            for side in 0...1 where !stream.sides[side].held.isEmpty {
                let wait = random.duration(upTo: Self.healWaitMax)
                queue.schedule(.flush(id, from: side), at: now + wait)
            }
        }
    }

    /// The streams between two nodes, in the order of their dialling, with the side of the first node.
    private func sides(_ one: Int, _ other: Int) -> [(id: StreamID, side: Int)] {
        streams.sorted { $0.key < $1.key }.compactMap { id, stream in
            if stream.nodes == [one, other] { return (id, 0) }
            return stream.nodes == [other, one] ? (id, 1) : nil
        }
    }
}
