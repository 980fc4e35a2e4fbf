import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lifeAt } from '../../src/actor/address.ts';
import { AlreadyRegistered } from '../../src/actor/errors.ts';
import { named, Registry } from '../../src/actor/registry.ts';
import type { Self } from '../../src/actor/types.ts';
import { hear, heard, make, puppet, type PuppetMessage, stage } from './support.ts';

describe('registry', () => {
  test('a life is found under its key until it ends', async () => {
    const { system, spawn } = stage();
    const registry = new Registry<string, PuppetMessage>();
    const ref = await spawn(puppet);
    await make(ref, (self) => self.register(registry, 'a'));
    assert.equal(registry.whereis('a'), ref);
    assert.deepEqual([...registry.keys()], ['a']);
    system.exit(ref, 'kill');
    assert.equal(registry.whereis('a'), undefined);
    assert.equal(registry.size, 0);
  });

  test('a key has one holder at a time', async () => {
    const { spawn, system } = stage();
    const registry = new Registry<string, PuppetMessage>();
    const [one, other] = [await spawn(puppet), await spawn(puppet)];
    await make(one, (self) => self.register(registry, 'a'));
    const refused = make(other, (self) => self.register(registry, 'a'));
    await assert.rejects(refused, { code: 'ended' });
    const reason = await system.ended(other);
    assert.ok(reason[1] instanceof AlreadyRegistered);
    assert.equal(reason[1].holder, one.id);
  });

  test('a key given up is free, and only its holder can give it up', async () => {
    const { spawn } = stage();
    const registry = new Registry<string, PuppetMessage>();
    const [one, other] = [await spawn(puppet), await spawn(puppet)];
    await make(one, (self) => self.register(registry, 'a'));
    await make(other, (self) => self.unregister(registry, 'a'));
    assert.equal(registry.whereis('a'), one);
    await make(one, (self) => self.unregister(registry, 'a'));
    assert.equal(lifeAt(one)?.holds, undefined);
    await make(other, (self) => self.register(registry, 'a'));
    assert.equal(registry.whereis('a'), other);
  });

  test('a life that ended gives up nothing, not even when the next one has the same key', async () => {
    const { spawn, system } = stage();
    const registry = new Registry<string, PuppetMessage>();
    const gate = Promise.withResolvers<void>();
    const [one, other] = [await spawn(puppet), await spawn(puppet)];
    one.send({
      type: 'do',
      async run(self) {
        self.register(registry, 'a');
        await gate.promise;
        self.unregister(registry, 'a');
      },
    });
    await system.idle();
    system.exit(one, 'kill');
    await make(other, (self) => self.register(registry, 'a'));
    gate.resolve();
    await system.idle();
    assert.equal(registry.whereis('a'), other);
  });

  test('a key that equals nothing, itself included, can be given up too', async () => {
    const { spawn } = stage();
    const registry = new Registry<number, PuppetMessage>();
    const ref = await spawn(puppet);
    await make(ref, (self) => {
      self.register(registry, NaN);
      self.unregister(registry, NaN);
    });
    assert.equal(registry.size, 0);
  });

  test('a key can be taken by a living life only, and by no other way', async () => {
    const { spawn, system } = stage();
    const registry = new Registry<string, PuppetMessage>();
    const [one, other] = [await spawn(puppet), await spawn(puppet)];
    let dead: Self<PuppetMessage> | undefined;
    await make(one, (self) => void (dead = self));
    system.exit(one, 'kill');
    dead?.register(registry, 'a');
    assert.equal(registry.whereis('a'), undefined);
    const methods = Object.getOwnPropertyNames(Registry.prototype).toSorted();
    assert.deepEqual(methods, ['constructor', 'keys', 'size', 'via', 'whereis']);
    await make(other, (self) => self.register(registry, 'a'));
    assert.equal(registry.whereis('a'), other);
  });

  test('a life may hold several keys, and all are free after its end', async () => {
    const { spawn, system } = stage();
    const registry = new Registry<string, PuppetMessage>();
    const ref = await spawn(puppet);
    await make(ref, (self) => {
      for (const key of ['a', 'b', 'c']) self.register(registry, key);
      self.unregister(registry, 'b');
    });
    assert.deepEqual([...registry.keys()], ['a', 'c']);
    system.exit(ref, 'kill');
    assert.equal(registry.size, 0);
  });

  test('the key of a failed start is free again', async () => {
    const { system } = stage();
    const registry = new Registry<string, PuppetMessage>();
    await system.spawn<PuppetMessage>((self) => {
      self.register(registry, 'a');
      throw new Error('no');
    });
    assert.equal(registry.size, 0);
  });

  test('those who watch a life are told when its key is free already', async () => {
    const { spawn, system } = stage();
    const registry = new Registry<string, PuppetMessage>();
    const [one, other] = [await spawn(puppet), await spawn(puppet)];
    await make(one, (self) => self.register(registry, 'a'));
    await make(other, (self) => self.monitor(one, () => hear(registry.size)));
    system.exit(one, 'shutdown');
    assert.deepEqual(await heard(other), [0]);
  });

  test('a named actor holds its key before it starts, in each of its lives, and fails to start where another holds it', async () => {
    const { spawn, system } = stage();
    const registry = new Registry<string, PuppetMessage>();
    const held: boolean[] = [];
    const actor = named(registry, 'a', (self: Self<PuppetMessage>) => {
      held.push(registry.whereis('a') === self.ref);
      return puppet(self);
    });
    const first = await spawn(actor);
    const refused = await system.spawn(actor);
    assert.ok(refused.ok === false && refused.reason[0] === 'error');
    assert.ok(refused.reason[1] instanceof AlreadyRegistered);
    system.exit(first, 'kill');
    const second = await spawn(actor);
    assert.equal(registry.whereis('a'), second);
    assert.deepEqual(held, [true, true]);
  });

  test('an address by key finds the holder at each use', async () => {
    const { spawn, system } = stage();
    const registry = new Registry<string, PuppetMessage>();
    const via = registry.via('a');
    via.send(hear('to nobody'));
    await assert.rejects(heard(via), { code: 'noproc' });
    for (const name of ['first', 'second']) {
      const ref = await spawn(puppet, name);
      await make(ref, (self) => self.register(registry, 'a'));
      via.send(hear(name));
      assert.deepEqual(await heard(via), [name]);
      system.exit(via, 'shutdown');
      assert.equal(await system.ended(ref), 'shutdown');
    }
  });
});
