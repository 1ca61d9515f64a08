/// What a match's machine wants done, in order, where some of it has to wait for the disk.
///
/// A write is handed to the disk at once; what comes after it waits until the disk has it.
final class StoredLine<Action> {
    private enum Item {
        case action(Action)
        case write(Int)
        case call(() -> Void)
    }

    private let perform: (Action) -> Void
    private var items: [Item] = []
    private var lastWrite = 0
    private var onDisk: Set<Int> = []
    private var isAdvancing = false
    private var waitsForDisk = true

    /// Makes an empty line; `perform` carries out an action.
    init(perform: @escaping (Action) -> Void) { self.perform = perform }

    /// Whether something waits.
    var isEmpty: Bool { items.isEmpty }

    /// Adds an action; call ``advance()`` after the last.
    func add(_ action: Action) { items.append(.action(action)) }

    /// Adds a write; `begin` starts it and gets what is to be called when the disk has it, at once or later.
    func write(_ begin: (_ done: @escaping () -> Void) -> Void) {
        lastWrite += 1
        let number = lastWrite
        items.append(.write(number))
        begin { [weak self] in
            guard let self else { return }
            onDisk.insert(number)
            advance()
        }
    }

    /// Calls the body once everything that is in the line now is done.
    func afterwards(_ body: @escaping () -> Void) {
        guard !items.isEmpty || isAdvancing else { return body() }
        items.append(.call(body))
    }

    /// Carries out what need not wait.
    func advance() {
        // What an action causes comes into the line behind it, and is carried out by the call that is on.
        guard !isAdvancing else { return }
        isAdvancing = true
        var taken = 0
        while taken < items.count {
            if case .write(let number) = items[taken], onDisk.remove(number) == nil, waitsForDisk { break }
            let item = items[taken]
            taken += 1
            switch item {
            case .action(let action): perform(action)
            case .write: break
            case .call(let body): body()
            }
        }
        items.removeFirst(taken)
        isAdvancing = false
    }

    /// Waits for nothing from now on, because nobody is there later to do what would be left.
    func finish() {
        waitsForDisk = false
        advance()
    }
}
