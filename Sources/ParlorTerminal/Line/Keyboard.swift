internal import Glibc

/// The terminal at standard input, which gives keys one by one and does not show them, while this is on.
///
/// Ctrl-C, Ctrl-\ and Ctrl-Z stay signals.
final class Keyboard {
    private var before = termios()
    private var isOn = false

    deinit { off() }

    /// Takes over; where standard input is no terminal, nothing changes.
    ///
    /// Corresponds to `tcsetattr(3)` without `ICANON` and `ECHO`.
    func on() {
        guard !isOn, unsafe tcgetattr(0, &before) == 0 else { return }
        var modes = before
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
        modes.c_iflag |= tcflag_t(ICRNL)
        unsafe withUnsafeMutableBytes(of: &modes.c_cc) { keys in
            unsafe keys[Int(VMIN)] = 1
            unsafe keys[Int(VTIME)] = 0
        }
        isOn = unsafe tcsetattr(0, TCSANOW, &modes) == 0
    }

    /// Gives the terminal back as it was.
    func off() {
        guard isOn else { return }
        isOn = false
        _ = unsafe tcsetattr(0, TCSANOW, &before)
    }

    /// Gives the terminal back and stops the process, as Ctrl-Z wants it; goes on when it is continued.
    func suspend() {
        off()
        _ = signal(SIGTSTP, SIG_DFL)
        _ = raise(SIGTSTP)
        Interrupts.takeSuspension()
        on()
    }
}
