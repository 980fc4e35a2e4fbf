import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const file = join(import.meta.dirname, '../../src/control/handlers/ports.ts');

interface Declared {
  readonly name: string;
  readonly heading: string;
  readonly body: string;
  readonly members: readonly string[];
}

/** The interfaces of the file, by name, each with the names of its own members. */
function interfacesOf(text: string): ReadonlyMap<string, Declared> {
  const found = text.matchAll(/^(?:export )?interface (\w+)([^{]*)\{\n(.*?)^\}/gms);
  return new Map(
    Array.from(found, ([, name = '', heading = '', body = '']) => {
      const members = Array.from(body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm), ([, member = '']) => member);
      return [name, { name, heading, body, members }];
    }),
  );
}

const interfaces = interfacesOf(readFileSync(file, 'utf8'));
const ports = [...interfaces.values()].filter(({ name }) => name.endsWith('Port'));

test('handlers take a port for each noun', () => {
  assert.deepEqual(
    ports.map(({ name }) => name),
    [
      'ProjectsPort',
      'DefinitionsPort',
      'SourcesPort',
      'HostsPort',
      'ScrapesPort',
      'SchedulePort',
      'SinksPort',
      'VaultPort',
      'DaemonPort',
    ],
  );
});

test('no port, nor their sum, has more than 12 members', () => {
  for (const { name, members } of [...ports, interfaces.get('Ports') ?? assert.fail('no Ports')]) {
    assert.ok(members.length > 1, `${name} has members`);
    assert.ok(members.length <= 12, `${name} has ${members.length} members: ${members.join(', ')}`);
  }
});

test('no port extends or holds another', () => {
  for (const { name, heading, body } of ports) {
    assert.equal(heading.trim(), '', `${name} extends nothing`);
    assert.doesNotMatch(body, /\w+Ports?\b/, `${name} holds no other port`);
  }
});
