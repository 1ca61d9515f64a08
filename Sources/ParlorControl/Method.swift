/// The methods of the control socket.
public enum Method: String, CaseIterable, Hashable, Sendable {
    case hello
    case status
    case doctor
    case eventsSubscribe = "events.subscribe"
    case roomsList = "rooms.list"
    case roomHost = "room.host"
    case roomJoin = "room.join"
    case roomGet = "room.get"
    case roomLeave = "room.leave"
    case roomReady = "room.ready"
    case roomStart = "room.start"
    case roomRematch = "room.rematch"
    case roomLock = "room.lock"
    case roomKick = "room.kick"
    case roomWatchers = "room.watchers"
    case roomBot = "room.bot"
    case roomSay = "room.say"
    case roomSet = "room.set"
    case matchView = "match.view"
    case matchAct = "match.act"
    case matchLog = "match.log"
    case matchExport = "match.export"
    case matchVerify = "match.verify"
    case matchesList = "matches.list"
    case matchesRemove = "matches.remove"
    case channelSend = "channel.send"
    case channelStats = "channel.stats"
    case profileGet = "profile.get"
    case profileSet = "profile.set"
    case faultSet = "fault.set"
    case shutdown
}
