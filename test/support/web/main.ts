import { parseArgs } from 'node:util';
import '../../../src/process/tether.ts';
import { startWeb } from './web.ts';

/*
 * The test web as a process: prints one JSON line when it listens, and ends on SIGTERM, on SIGINT, or when its standard
 * input does, so that it never outlives who started it.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    port: { type: 'string' },
    hosts: { type: 'string' },
    'opened-at': { type: 'string' },
  },
});

const web = await startWeb({
  world: { seed: numberIn('seed', 1), openedAt: numberIn('opened-at', Date.now()) },
  now: Date.now,
  port: numberIn('port', 0),
  hosts: numberIn('hosts', 0),
});

const { promise: ended, resolve: end } = Promise.withResolvers<unknown>();
process.once('SIGTERM', end);
process.once('SIGINT', end);
process.stdout.write(`${JSON.stringify({ port: web.port, hosts: web.addresses.length })}\n`);
await ended;
await web.close();
process.exit(0);

function numberIn(name: keyof typeof values, usual: number): number {
  const text = values[name] ?? String(usual);
  if (!/^\d{1,15}$/.test(text)) throw new Error(`--${name}: expected a whole number, got ${JSON.stringify(text)}`);
  return Number.parseInt(text, 10);
}
