import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { startProcess } from '../../src/process/own-process.ts';
import { startWebProcess } from '../support/web/web-process.ts';

describe('the web of the tests as a process', () => {
  test('says where it listens, and ends when it is told to', async () => {
    const web = await startWebProcess({ hosts: 2 });
    assert.equal((await fetch(`http://127.1.0.2:${web.port}/crowd/moss-lamp`)).status, 200);
    assert.equal((await web.process.stop()).status, 0);
    await assert.rejects(fetch(web.origin));
  });

  test('refuses an argument that is no number, with the name of the option', async () => {
    const file = fileURLToPath(new URL('../support/web/main.ts', import.meta.url));
    const { status, tail } = await (await startProcess(file, ['--hosts', 'many'])).ended;
    assert.equal(status, 1);
    assert.ok(tail.some((line) => line.includes('--hosts: expected a whole number, got "many"')));
  });
});
