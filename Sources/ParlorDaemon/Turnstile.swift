/// Lets one input at a time through to a machine: what arises while its actions are carried out waits until
/// they are done, so that a driver never feeds a machine from within.
final class Turnstile<Input> {
    private var waiting: [Input] = []
    private var isBusy = false

    /// Takes the input now, or after those that wait; `step` feeds the machine and carries out its actions.
    func pass(_ input: Input, step: (Input) -> Void) {
        guard !isBusy else { return waiting.append(input) }
        isBusy = true
        step(input)
        while !waiting.isEmpty { step(waiting.removeFirst()) }
        isBusy = false
    }
}
