/** Clients of streams that read what comes and keep nothing of it, in a process of their own, so that what they take of the processor is not the server's. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** How streams are opened, each by one connection. */
export interface StreamOptions {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  readonly count: number;
}

export interface StreamClients extends AsyncDisposable {
  /** Resolves once all together have read so many events since they were opened. */
  haveRead(events: number): Promise<void>;
}

/** What each event ends its part of a stream with, and what only an event begins with. */
const mark = Buffer.from('\nid: ');

if (import.meta.main) await serve(JSON.parse(process.argv[2] ?? '') as StreamOptions);

/** Opens streams; resolves when each has begun. */
export async function openStreams(options: StreamOptions): Promise<StreamClients> {
  const child = fork(import.meta.filename, [JSON.stringify(options)], { execArgv: [] });
  const told = async (): Promise<number> => ((await once(child, 'message')) as [number])[0];
  await told();
  const ask = async (events: number): Promise<number> => {
    child.send(events);
    return await told();
  };
  return {
    haveRead: async (events) => void (await ask(events)),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function serve({ count, ...where }: StreamOptions): Promise<void> {
  let events = 0;
  let wanted = Infinity;
  const tell = (): void => {
    if (events < wanted) return;
    wanted = Infinity;
    process.send?.(events);
  };
  const open = async (): Promise<void> => {
    const socket = connect(where.port, '127.0.0.1');
    socket.on('error', () => socket.destroy());
    socket.write(
      `GET ${where.path} HTTP/1.1\r\nhost: 127.0.0.1:${where.port}\r\nauthorization: Bearer ${where.token}\r\n\r\n`,
    );
    await once(socket, 'data');
    countIn(socket, (found) => {
      events += found;
      tell();
    });
  };
  for (let opened = 0; opened < count; opened += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - opened) }, open));
  process.on('message', (asked: number) => {
    wanted = asked;
    tell();
  });
  process.on('disconnect', () => process.exit());
  process.send?.(0);
}

function countIn(socket: Socket, found: (events: number) => void): void {
  // What opened the stream was read before, with the line break that the first event follows.
  let rest = Buffer.from('\n');
  socket.on('data', (chunk) => {
    const bytes = Buffer.concat([rest, chunk]);
    let events = 0;
    let from = 0;
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, from)) {
      events += 1;
      from = at + mark.length;
    }
    rest = bytes.subarray(Math.max(from, bytes.length - mark.length + 1));
    if (events > 0) found(events);
  });
}
