import COpenSSL
import Glibc

// How OpenSSL reads and writes: a BIO whose data is the SecureStream that is driving it. Reading takes from
// the bytes that have just arrived, writing appends to what the connection sends at the end of the turn;
// nothing blocks.

/// Called by OpenSSL for ciphertext; says "try again" when all that arrived has been taken.
@c func parlorNetTransportRead(
    _ bio: OpaquePointer?, _ into: UnsafeMutablePointer<CChar>?, _ wanted: Int,
    _ taken: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe parlor_bio_clear_retry(bio)
    guard let data = unsafe BIO_get_data(bio), let into = unsafe into else { return 0 }
    let count = SecureStream.of(data).takeInput(
        unsafe UnsafeMutableRawBufferPointer(start: into, count: wanted))
    unsafe taken?.pointee = count
    if count == 0 { unsafe parlor_bio_set_retry_read(bio) }
    return count == 0 ? 0 : 1
}

/// Called by OpenSSL with ciphertext; all of it is taken.
@c func parlorNetTransportWrite(
    _ bio: OpaquePointer?, _ from: UnsafePointer<CChar>?, _ count: Int, _ written: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe parlor_bio_clear_retry(bio)
    guard let data = unsafe BIO_get_data(bio) else { return 0 }
    SecureStream.of(data).tcp.append(unsafe UnsafeRawBufferPointer(start: from, count: count))
    unsafe written?.pointee = count
    return 1
}

/// Called by OpenSSL for anything else; only a flush must succeed.
@c func parlorNetTransportControl(
    _: OpaquePointer?, _ command: Int32, _: Int, _: UnsafeMutableRawPointer?
) -> Int {
    command == BIO_CTRL_FLUSH ? 1 : 0
}
