public enum Text { public static func nfc(_ t: String) -> String { t } }
