import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Registry } from '../../src/actor/registry.ts';
import type { Self } from '../../src/actor/types.ts';
import { hear, heard, make, puppet, type PuppetMessage, stage } from './support.ts';

/** All that can be reached by name on an object, its prototypes' properties among them. */
function namesOn(object: object): readonly string[] {
  const names = new Set<string>();
  for (let each = object; each !== Object.prototype; each = Object.getPrototypeOf(each) as object) {
    for (const name of Object.getOwnPropertyNames(each)) names.add(name);
  }
  return [...names].sort();
}

describe('an address', () => {
  test('shows its id and takes messages and questions, and nothing else of the life can be reached', async () => {
    const { spawn, system } = stage();
    const ref = await spawn(puppet);
    assert.deepEqual(namesOn(ref), ['ask', 'constructor', 'id', 'send']);
    assert.throws(() => (ref as unknown as { end(reason: string): void }).end('killed'), TypeError);
    assert.throws(() => Object.assign(ref, { id: 'forged#1' }), TypeError);
    assert.equal(system.inspect()[0]?.id, ref.id);
  });

  test('is the same one wherever it comes from', async () => {
    const { spawn } = stage();
    const registry = new Registry<string, PuppetMessage>();
    const ref = await spawn(puppet);
    let own: unknown;
    await make(ref, (self) => {
      own = self.ref;
      self.register(registry, 'a');
    });
    assert.equal(own, ref);
    assert.equal(registry.whereis('a'), ref);
  });

  test('that nobody gave is the address of nobody', async () => {
    const { spawn, system } = stage();
    const ref = await spawn(puppet);
    const forged = Object.create(Object.getPrototypeOf(ref) as object) as typeof ref;
    assert.throws(() => forged.send(hear('forged')), TypeError);
    assert.equal(await system.ended(forged), 'noproc');
  });

  test('what an actor has of itself does not show its life either', async () => {
    const { spawn } = stage();
    let kept: Self<PuppetMessage> | undefined;
    const ref = await spawn<PuppetMessage>((self) => {
      kept = self;
      return puppet(self);
    });
    assert.deepEqual(await heard(ref), []);
    assert.ok(kept !== undefined && !namesOn(kept).some((name) => name === 'life' || name === 'kernel'));
    assert.deepEqual(Object.keys(kept), []);
  });
});
