import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { methods } from '../../src/control/methods.ts';
import type { MethodSpec } from '../../src/control/methods/method.ts';
import { top } from './fences.ts';

const text = readFileSync(join(top, 'SECURITY.md'), 'utf8');

describe('SECURITY.md', () => {
  test('names tests and files that are there, in each row of what somebody cannot do', () => {
    const named = Array.from(text.matchAll(/`((?:src|test|docs)\/[^`\s]+)`/g), ([, file = '']) => file);
    assert.ok(new Set(named).size > 50);
    assert.deepEqual(
      named.filter((file) => !existsSync(join(top, file))),
      [],
    );
    const tables = text.split('\n\n').filter((part) => /^\|.*cannot \|/.test(part) || part.startsWith('| cannot'));
    assert.equal(tables.length, 6);
    for (const row of tables.flatMap((table) => table.trim().split('\n').slice(2))) assert.match(row, /`test\//, row);
  });

  test('says of roles what the table of methods says', () => {
    const roleOf = (method: keyof typeof methods): MethodSpec['role'] => methods[method].role;
    for (const method of ['ticket.repair', 'page.try', 'source.save'] as const) assert.equal(roleOf(method), 'author');
    for (const method of ['project.add', 'project.delete', 'source.peek', 'source.try', 'sink.replay'] as const)
      assert.equal(roleOf(method), 'operate');
    for (const method of ['settings.set', 'token.create', 'daemon.backup', 'daemon.shutdown', 'login.invite'] as const)
      assert.equal(roleOf(method), 'admin');
    for (const method of ['page.get', 'record.list', 'daemon.status'] as const)
      if (method in methods) assert.equal(roleOf(method as keyof typeof methods), 'read');
  });
});
