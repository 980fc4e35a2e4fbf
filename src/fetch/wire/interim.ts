import type { Socket } from 'node:net';
import { errors } from 'undici';
import { maxHeadersBytes } from './wire-error.ts';

/** The begin of each request as undici writes it. */
const requestLine = /^[A-Z]+ \S+ HTTP\/1\.1\r\n/;
/** The begin of a response that another one follows. */
const interim = /^HTTP\/1\.[01] 1\d\d/;
const switching = /^HTTP\/1\.[01] 101/;
/** The length of the begin of a response up to its status. */
const statusBytes = 12;
const headEnd = '\r\n\r\n';

/**
 * Has a connection of HTTP/1.1 leave out all interim responses (RFC 9110, 15.2), which a site may send without having been asked: for a
 * `100 Continue` undici would close the connection. A `101 Switching Protocols`, which nobody asks for, ends it.
 */
export function withoutInterim<S extends Socket>(socket: S): S {
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)];
  /** What was read of a response of which it is not known yet whether it is an interim one; missing within all others. */
  let held: Buffer | undefined;
  return Object.assign(socket, {
    // One request at a time is under way, so that what is read after its begin begins a response.
    write(...args: Parameters<typeof write>): boolean {
      if (typeof args[0] === 'string' && requestLine.test(args[0])) held = Buffer.alloc(0);
      return write(...args);
    },
    read(size?: number): unknown {
      const chunk: unknown = read(size);
      if (held === undefined || !Buffer.isBuffer(chunk)) return chunk;
      return afterInterim(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
    },
  });

  /** The bytes from the first response on that is none of them; `null` where none of it has come. */
  function afterInterim(bytes: Buffer): Buffer | null {
    let rest = bytes;
    for (let begin = beginOf(rest); interim.test(begin); begin = beginOf(rest)) {
      if (switching.test(begin)) {
        socket.destroy(new errors.HTTPParserError('(it switches to a protocol that nobody asked for)'));
        return null;
      }
      const end = rest.indexOf(headEnd);
      if (end === -1) break;
      rest = rest.subarray(end + headEnd.length);
    }
    const begin = beginOf(rest);
    const mayBeInterim =
      begin.length < statusBytes
        ? 'HTTP/1.1 1'.startsWith(begin.replace('HTTP/1.0', 'HTTP/1.1').slice(0, 10))
        : interim.test(begin);
    held = mayBeInterim && rest.length < maxHeadersBytes ? rest : undefined;
    return held === undefined ? rest : null;
  }
}

function beginOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, statusBytes);
}
