import Testing

@testable import ParlorProtocol

/// What a connection says before it carries a link: exact actions for exact inputs.
@Suite struct GreetingTests {
    let ann = Hello(software: "1.0", name: "Ann", games: [.init(id: "snap", rules: 1)], linkID: 1)
    let bob = Hello(software: "1.1", name: "Bob", games: [], linkID: 2)

    private func frames(_ frames: Frame...) -> [UInt8] { frames.flatMap { $0.encoded() } }

    /// A greeting that has been asked for a link.
    private func asked(_ hello: Hello) -> Greeting {
        var greeting = Greeting(role: .listener, hello: bob)
        _ = greeting.handle(.opened, at: .zero)
        #expect(greeting.handle(.bytes(frames(.hello(hello))), at: .zero) == [.asked(hello)])
        return greeting
    }

    private func ann(resuming resume: Hello.Resume) -> Hello {
        Hello(software: "1.0", name: "Ann", games: [], linkID: 1, resume: resume)
    }

    // MARK: Hello and welcome

    @Test func `a dialler says hello and is done by a welcome`() {
        var greeting = Greeting(role: .dialler, hello: ann)
        #expect(greeting.handle(.opened, at: .zero) == [.write(frames(.hello(ann))), .arm(.seconds(3))])
        let welcome = frames(.welcome(Welcome(hello: bob, chosen: 1)))
        let rest = frames(.ping(token: 4)) + [7, 0]
        #expect(greeting.handle(.bytes(Array(welcome.dropLast(3))), at: .milliseconds(4)).isEmpty)
        #expect(
            greeting.handle(.bytes(welcome.suffix(3) + rest), at: .milliseconds(5)) == [
                .arm(nil), .done(Greeted(role: .dialler, own: ann, peer: bob, chosen: 1, rest: rest)),
            ])
        for input in [
            Greeting.Input.opened, .bytes([1]), .answer(bob, received: nil), .refuse(.busy, detail: ""),
            .close(.closed, detail: ""), .transportEnded(""), .deadlinePassed,
        ] {
            #expect(greeting.handle(input, at: .seconds(9)).isEmpty)
        }
    }

    @Test func `a listener asks, and welcomes when told to`() {
        var greeting = Greeting(role: .listener, hello: bob)
        #expect(greeting.handle(.opened, at: .zero) == [.arm(.seconds(3))])
        #expect(greeting.handle(.bytes(frames(.hello(ann))), at: .zero) == [.asked(ann)])
        #expect(greeting.handle(.deadlinePassed, at: .seconds(1)) == [.arm(.seconds(3))])
        let own = Hello(software: "1.1", name: "Bob", games: [], linkID: 77)
        #expect(
            greeting.handle(.answer(own, received: nil), at: .seconds(2)) == [
                .write(frames(.welcome(Welcome(hello: own, chosen: 1)))), .arm(nil),
                .done(Greeted(role: .listener, own: own, peer: ann, chosen: 1)),
            ])
    }

    @Test func `a resume is welcomed with what has been received`() {
        let hello = ann(resuming: .init(link: 2, received: counts(5, 6, 7)))
        var listener = asked(hello)
        let welcome = frames(.welcome(Welcome(hello: bob, chosen: 1, received: counts(1, 2, 3))))
        #expect(
            listener.handle(.answer(bob, received: counts(1, 2, 3)), at: .zero) == [
                .write(welcome), .arm(nil),
                .done(
                    Greeted(role: .listener, own: bob, peer: hello, chosen: 1, resumed: counts(5, 6, 7))),
            ])
        var dialler = Greeting(role: .dialler, hello: hello)
        _ = dialler.handle(.opened, at: .zero)
        #expect(
            dialler.handle(.bytes(welcome), at: .zero) == [
                .arm(nil),
                .done(Greeted(role: .dialler, own: hello, peer: bob, chosen: 1, resumed: counts(1, 2, 3))),
            ])
    }

    @Test func `a resume of an unknown link is welcomed to a new one`() {
        let hello = ann(resuming: .init(link: 9, received: counts(5, 6, 7)))
        var listener = asked(hello)
        let actions = listener.handle(.answer(bob, received: nil), at: .zero)
        #expect(actions.last == .done(Greeted(role: .listener, own: bob, peer: hello, chosen: 1)))
        var dialler = Greeting(role: .dialler, hello: hello)
        _ = dialler.handle(.opened, at: .zero)
        let welcome = frames(.welcome(Welcome(hello: bob, chosen: 1)))
        #expect(
            dialler.handle(.bytes(welcome), at: .zero).last
                == .done(Greeted(role: .dialler, own: hello, peer: bob, chosen: 1)))
    }

    @Test func `a welcome that resumes what nobody asked for is a violation`() {
        let welcome = frames(.welcome(Welcome(hello: bob, chosen: 1, received: counts(0, 0, 0))))
        for hello in [ann, ann(resuming: .init(link: 3, received: counts(0, 0, 0)))] {
            var greeting = Greeting(role: .dialler, hello: hello)
            _ = greeting.handle(.opened, at: .zero)
            #expect(greeting.handle(.bytes(welcome), at: .zero).last?.end?.reason == .protocolViolation)
        }
    }

    @Test func `a listener that was asked may refuse`() {
        var greeting = asked(ann)
        let refusal = LinkRefusal(reason: .replaced, detail: "mine stays", protocols: 1...1, software: "1.1")
        #expect(
            greeting.handle(.refuse(.replaced, detail: "mine stays"), at: .zero) == [
                .write(frames(.refuse(refusal))), .arm(nil), .closeTransport(flush: true),
                .ended(LinkEnd(who: .local, reason: .replaced, phase: .greeting, detail: "mine stays")),
            ])
        #expect(greeting.handle(.answer(bob, received: nil), at: .zero).isEmpty)
    }

    @Test func `a dialler that speaks on before its welcome breaks the rules, and one may say goodbye`() {
        var greeting = asked(ann)
        #expect(
            greeting.handle(.bytes(frames(.ping(token: 1))), at: .zero).last?.end?.detail
                == "ping before welcome")
        greeting = asked(ann)
        let goodbye = Goodbye(reason: .closed, detail: "never mind", phase: .greeting)
        #expect(
            greeting.handle(.bytes(frames(.goodbye(goodbye))), at: .zero) == [
                .arm(nil), .closeTransport(flush: false),
                .ended(LinkEnd(who: .peer, reason: .closed, phase: .greeting, detail: "never mind")),
            ])
    }

    @Test func `a dialler that gives a resume up says nothing, for the link may be taken up already`() {
        var greeting = Greeting(
            role: .dialler, hello: ann(resuming: .init(link: 2, received: counts(0, 0, 0))))
        _ = greeting.handle(.opened, at: .zero)
        #expect(
            greeting.handle(.close(.closed, detail: "found"), at: .zero) == [
                .arm(nil), .closeTransport(flush: false),
                .ended(LinkEnd(who: .local, reason: .closed, phase: .greeting, detail: "found")),
            ])
    }

    @Test func `an answer that does not come in three seconds is a refusal`() {
        var greeting = asked(ann)
        let actions = greeting.handle(.deadlinePassed, at: .seconds(3))
        #expect(actions.last?.end?.reason == .greetingTimeout)
    }

    @Test func `the newest common version is chosen`() {
        let older = Hello(protocols: 1...4, software: "1", name: "", games: [], linkID: 3)
        let newer = Hello(protocols: 3...9, software: "2", name: "", games: [], linkID: 4)
        #expect(older.newestCommon(with: newer) == 4)
        #expect(newer.newestCommon(with: older) == 4)
        #expect(ann.newestCommon(with: newer) == nil)
    }

    @Test func `without a common version both sides learn which is older`() {
        let newer = Hello(protocols: 3...9, software: "2.0", name: "", games: [], linkID: 4)
        var greeting = Greeting(role: .listener, hello: newer)
        _ = greeting.handle(.opened, at: .zero)
        let detail = "the peer is older: it has 1.0, this is 2.0"
        let refusal = LinkRefusal(reason: .noCommonVersion, detail: detail, protocols: 3...9, software: "2.0")
        #expect(
            greeting.handle(.bytes(frames(.hello(ann))), at: .zero) == [
                .write(frames(.refuse(refusal))), .arm(nil), .closeTransport(flush: true),
                .ended(LinkEnd(who: .local, reason: .noCommonVersion, phase: .greeting, detail: detail)),
            ])
        var dialler = Greeting(role: .dialler, hello: ann)
        _ = dialler.handle(.opened, at: .zero)
        #expect(
            dialler.handle(.bytes(frames(.refuse(refusal))), at: .zero) == [
                .arm(nil), .closeTransport(flush: false),
                .ended(
                    LinkEnd(
                        who: .peer, reason: .noCommonVersion, phase: .greeting,
                        detail: detail + "; this is older: it has 1.0, the peer 2.0")),
            ])
    }

    @Test func `a welcome to a version that was not offered is a violation`() {
        var greeting = Greeting(role: .dialler, hello: ann)
        _ = greeting.handle(.opened, at: .zero)
        let actions = greeting.handle(.bytes(frames(.welcome(Welcome(hello: bob, chosen: 2)))), at: .zero)
        #expect(actions.last?.end?.reason == .protocolViolation)
    }

    @Test(arguments: [LinkRole.dialler, .listener])
    func `anything but a greeting first is a violation`(role: LinkRole) {
        let own: Frame = role == .dialler ? .hello(bob) : .welcome(Welcome(hello: bob, chosen: 1))
        for frame in [own, .ping(token: 1), .chunk(lane: .game, last: true, bytes: [1]), .datagram([])] {
            var greeting = Greeting(role: role, hello: ann)
            _ = greeting.handle(.opened, at: .zero)
            let actions = greeting.handle(.bytes(frame.encoded()), at: .zero)
            #expect(actions.last?.end?.reason == .protocolViolation)
            #expect(actions.contains(.closeTransport(flush: true)))
            #expect(greeting.handle(.bytes(frame.encoded()), at: .zero).isEmpty)
        }
    }

    @Test(arguments: [LinkRole.dialler, .listener])
    func `a greeting that does not come in three seconds ends the link`(role: LinkRole) {
        var greeting = Greeting(role: role, hello: ann)
        _ = greeting.handle(.opened, at: .zero)
        #expect(greeting.handle(.deadlinePassed, at: .milliseconds(2_999)) == [.arm(.seconds(3))])
        let actions = greeting.handle(.deadlinePassed, at: .seconds(3))
        #expect(actions.last?.end?.reason == .greetingTimeout)
        #expect(actions.last?.end?.phase == .greeting)
        #expect(actions.dropLast().last == .closeTransport(flush: true))
    }

    @Test func `a stall of our own gives the greeting its time anew`() {
        var greeting = Greeting(role: .listener, hello: ann)
        _ = greeting.handle(.opened, at: .zero)
        #expect(greeting.handle(.deadlinePassed, at: .milliseconds(3_501)) == [.arm(.milliseconds(6_501))])
        #expect(greeting.handle(.bytes(frames(.hello(bob))), at: .milliseconds(3_502)) == [.asked(bob)])
    }

    @Test func `a listener that closes before the greeting refuses`() {
        var greeting = Greeting(role: .listener, hello: bob)
        _ = greeting.handle(.opened, at: .zero)
        let refusal = LinkRefusal(reason: .busy, detail: "", protocols: 1...1, software: "1.1")
        #expect(
            greeting.handle(.close(.busy, detail: ""), at: .zero) == [
                .write(frames(.refuse(refusal))), .arm(nil), .closeTransport(flush: true),
                .ended(LinkEnd(who: .local, reason: .busy, phase: .greeting, detail: "")),
            ])
    }

    @Test func `garbage and too large a greeting end the link`() {
        for garbage in [bytes("474554202f20"), bytes("01002000"), bytes("0100000100")] {
            var greeting = Greeting(role: .listener, hello: ann)
            _ = greeting.handle(.opened, at: .zero)
            let actions = greeting.handle(.bytes(garbage), at: .zero)
            #expect(actions.last?.end?.reason == .protocolViolation)
            #expect(actions.last?.end?.who == .local)
        }
    }

    @Test func `a transport that ends takes the greeting with it`() {
        var connecting = Greeting(role: .dialler, hello: ann)
        #expect(
            connecting.handle(.transportEnded("refused"), at: .zero) == [
                .ended(LinkEnd(who: .network, reason: .lost, phase: .connecting, detail: "refused"))
            ])
        var unopened = Greeting(role: .listener, hello: ann)
        #expect(
            unopened.handle(.close(.closed, detail: ""), at: .zero) == [
                .closeTransport(flush: false),
                .ended(LinkEnd(who: .local, reason: .closed, phase: .connecting, detail: "")),
            ])
        var greeting = asked(ann)
        #expect(
            greeting.handle(.transportEnded("reset"), at: .zero) == [
                .arm(nil), .ended(LinkEnd(who: .network, reason: .lost, phase: .greeting, detail: "reset")),
            ])
    }
}

extension Greeting.Action {
    /// How the connection ended, if this says so.
    var end: LinkEnd? {
        guard case .ended(let end) = self else { return nil }
        return end
    }
}
