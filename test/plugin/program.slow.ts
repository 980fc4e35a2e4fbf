import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { test } from 'node:test';
import { untilEnded } from '../support/until-ended.ts';

const runner = (file: string) => `
import { openPrograms } from ${JSON.stringify(new URL('../../src/plugin/program.ts', import.meta.url).href)};
import { Source } from ${JSON.stringify(new URL('../../src/definition/source.ts', import.meta.url).href)};
const source = Source.parse({ id: 'hangs', collect: { command: ['sh', 'hangs.sh'] }, records: { a: { key: 'id', fields: { id: 'h1' } } } });
const program = { file: ${JSON.stringify(file)}, version: '1', source: '' };
const services = { collected: async () => undefined, hide: (text) => text, log: ({ message }) => console.log(message) };
const input = { args: [], since: {}, address: { params: {} }, secrets: new Map() };
await openPrograms()({ source, version: '1', program }, input, services, new AbortController().signal);
`;

test('a program and what it started end with a daemon that is killed', { timeout: 20_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'hangs.sh');
  await writeFile(file, 'sleep 300 &\necho "$$ $!" >&2\nwait\n');
  const daemon = spawn(process.execPath, ['--input-type=module', '-e', runner(file)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => daemon.kill('SIGKILL'));
  const [line] = (await once(createInterface(daemon.stdout), 'line')) as [string];
  daemon.kill('SIGKILL');
  const pids = line.split(' ');
  assert.equal(pids.length, 2);
  for (const pid of pids) await untilEnded(pid);
});
