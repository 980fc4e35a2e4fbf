import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { ControlError } from '../../src/control/error.ts';
import type { TreeNode } from '../../src/control/methods/daemon.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';

const launcher = join(import.meta.dirname, '..', '..', 'src', 'heronry.cjs');
const actor = { kind: 'actor', state: 'running', mailbox: 0, restarts: 0, ageMs: 5_000, memoryBytes: 340 } as const;

function root(...children: readonly string[]): TreeNode {
  return { ...actor, id: 'root', kind: 'supervisor', children: children.map((id) => ({ ...actor, id })) };
}

describe('tree --watch', () => {
  test('on a terminal each frame takes the place of the one before, and is no larger than the screen', async (t) => {
    const frames = [root('a', 'b', 'c', 'd'), root('a')];
    const { path } = await serve(t, {
      'tree.get': () => {
        const frame = frames.shift();
        if (frame === undefined) throw new ControlError('not_ready', 'that is all');
        return frame;
      },
    });
    const { out, err } = await run(['tree', '--watch', '--socket', path], { columns: 12, rows: 5 });
    assert.deepEqual(out.split('\u001B[H\u001B[J'), [
      '',
      'root  5s, 3…\n├─ a  5s, 3…\n├─ b  5s, 3…\n…\n',
      'root  5s, 3…\n└─ a  5s, 3…\n',
    ]);
    assert.match(err, /that is all/);
  });

  test('elsewhere a blank line ends each frame, until it is interrupted', async (t) => {
    let asked = 0;
    const { path } = await serve(t, { 'tree.get': () => root(`child-${(asked += 1)}`) });
    const watching = spawn(process.execPath, [launcher, 'tree', '--watch', '--socket', path]);
    t.after(() => watching.kill('SIGKILL'));
    const ended = once(watching, 'exit');
    const lines: string[] = [];
    for await (const line of createInterface({ input: watching.stdout })) {
      lines.push(line);
      if (lines.length === 6) watching.kill('SIGINT');
    }
    assert.deepEqual(lines, [
      'root  5s, 340 B',
      '└─ child-1  5s, 340 B',
      '',
      'root  5s, 340 B',
      '└─ child-2  5s, 340 B',
      '',
    ]);
    assert.deepEqual(await ended, [null, 'SIGINT']);
  });
});
