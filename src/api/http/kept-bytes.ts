/** As much as the system reads from a connection at a time. */
const LENGTH = 64 << 10;
/** Fewer bytes take no buffer: they stay where they are, or are copied out of a buffer that will be used again. */
const MIN_COPIED = 4 << 10;
/** Milliseconds after which half of the buffers that are not in use are freed, as long as there are any. */
const FREED_EVERY = 5000;

const unused: Buffer[] = [];
let timer: NodeJS.Timeout | undefined;
const used = new WeakSet<ArrayBufferLike>();

/**
 * Copies bytes that have to wait into a pooled buffer. The buffer they were read into is then free at once, and the
 * engine collects it with its young objects. A buffer that waits with its request outlives those collections and is
 * freed only when the whole heap is collected: a thousand waiting requests took some 200 MiB that way. Pass the result
 * to `giveBack` once its bytes have been parsed or copied. It never shares a reused buffer with `bytes`, so those may
 * be given back at any time.
 */
export function keepBytes(bytes: Buffer): Buffer {
  if (bytes.length < MIN_COPIED) return isReused(bytes) ? Buffer.from(bytes) : bytes;
  if (bytes.length > LENGTH) return bytes;
  const buffer = unused.pop() ?? Buffer.allocUnsafeSlow(LENGTH);
  used.add(buffer.buffer);
  bytes.copy(buffer);
  return buffer.subarray(0, bytes.length);
}

/** Whether the bytes are in a pooled buffer, which is overwritten after `giveBack`. */
export function isReused(bytes: Buffer): boolean {
  return used.has(bytes.buffer);
}

/** Bytes that were not copied are ignored. */
export function giveBack({ buffer }: Buffer): void {
  if (!used.delete(buffer)) return;
  unused.push(Buffer.from(buffer));
  timer ??= setInterval(freeHalf, FREED_EVERY).unref();
}

function freeHalf(): void {
  unused.length >>= 1;
  if (unused.length > 0) return;
  clearInterval(timer);
  timer = undefined;
}
