import { createServer } from 'node:net';
import { parseArgs } from 'node:util';

/*
 * Takes a daemon's place on its socket, as far as the demo asks: it is not ready at first, tells of one record per project
 * that is added, and with `DEMO_DAEMON=dies` ends with status 3 after the first; with `scrapes` it also
 * tells of one scrape each.
 */

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    config: { type: 'string' },
    data: { type: 'string' },
    socket: { type: 'string' },
    sources: { type: 'string' },
  },
});

let asked = 0;
let invited = 0;

const server = createServer((socket) => {
  let rest = '';
  let subscription = 0;
  const send = (message: object) => socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { id, method, params } = JSON.parse(line) as { id: number; method: string; params: { id?: string } };
      send({ id, result: answer(method) });
      if (method === 'event.subscribe') subscription = id;
      if (method !== 'project.add') continue;
      const data = { type: 'thing', key: params.id, fields: { name: { new: params.id } } };
      const event = { id: 1, at: 0, type: 'record.added', projects: [params.id], source: 'crowd', data };
      send({ method: 'event', params: { subscription, event } });
      const scrape = { id: 2, at: 0, type: 'scrape.completed', projects: [params.id], source: 'crowd', data: {} };
      if (process.env['DEMO_DAEMON'] === 'scrapes') send({ method: 'event', params: { subscription, event: scrape } });
      if (process.env['DEMO_DAEMON'] !== 'dies') continue;
      process.stderr.write('the roof came down\n');
      process.exit(3);
    }
  });
});

server.listen(values.socket);
process.once('SIGTERM', () => process.exit(0));

function answer(method: string): object {
  if (method === 'login.invite') return { url: `http://127.0.0.1:1/login#code=${(invited += 1)}` };
  if (method !== 'daemon.status') return { after: 0 };
  asked += 1;
  return { state: asked > 1 ? 'ready' : 'starting' };
}
