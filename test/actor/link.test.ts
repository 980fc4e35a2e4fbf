import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lifeAt } from '../../src/actor/address.ts';
import type { ExitReason, Ref, Self } from '../../src/actor/types.ts';
import { supervisor } from '../../src/actor/supervisor.ts';
import { family, hear, heard, make, puppet, type PuppetMessage, stage, type Stage } from './support.ts';

const trap = (ref: Ref<PuppetMessage>) =>
  make(ref, (self) => self.trapExit(({ from, reason }) => hear([from.id, reason])));
const link = (one: Ref<PuppetMessage>, other: Ref<PuppetMessage>) => make(one, (self) => self.link(other));
const monitor = (one: Ref<PuppetMessage>, other: Ref<PuppetMessage>) =>
  make(one, (self) => self.monitor(other, ({ reason }) => hear(['down', reason])));

async function two({ spawn }: Stage): Promise<[Ref<PuppetMessage>, Ref<PuppetMessage>]> {
  return [await spawn(puppet, 'one'), await spawn(puppet, 'other')];
}

async function isAlive({ system }: Stage, ref: Ref<never>): Promise<boolean> {
  await system.idle();
  return system.inspect().some(({ id }) => id === ref.id);
}

describe('links', () => {
  const oops: ExitReason = ['error', 'oops'];
  const cases: readonly { ends: ExitReason; survives: boolean }[] = [
    { ends: 'normal', survives: true },
    { ends: 'shutdown', survives: false },
    { ends: ['shutdown', 'why'], survives: false },
    { ends: oops, survives: false },
    { ends: 'kill', survives: false },
  ];
  for (const { ends, survives } of cases) {
    test(`a life ${survives ? 'survives' : 'does not survive'} a linked one that ends with ${String(ends)}`, async () => {
      const scene = stage();
      const [one, other] = await two(scene);
      await link(one, other);
      await make(other, (self) => self.stop(ends));
      if (survives) assert.equal(await isAlive(scene, one), true);
      else assert.deepEqual(await scene.system.ended(one), ends);
    });

    test(`a life that traps exits hears of a linked one that ends with ${String(ends)}`, async () => {
      const scene = stage();
      const [one, other] = await two(scene);
      await trap(one);
      await link(one, other);
      await make(other, (self) => self.stop(ends));
      await scene.system.idle();
      assert.deepEqual(await heard(one), [[other.id, ends]]);
    });
  }

  test('the reason goes on along a chain of links, until someone traps', async () => {
    const scene = stage();
    const chain = await Promise.all(Array.from({ length: 5_000 }, (_, n) => scene.spawn(puppet, `link-${n}`)));
    for (const [n, ref] of chain.entries()) if (n > 0) await link(ref, chain[n - 1] ?? ref);
    const first = chain[0] ?? assert.fail();
    const last = chain.at(-1) ?? first;
    const listener = await scene.spawn(puppet);
    await trap(listener);
    await link(listener, last);
    scene.system.exit(first, oops);
    assert.deepEqual(await heard(listener), [[last.id, oops]]);
  });

  test('linking twice is one link, and unlinking ends it', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    await link(one, other);
    await link(one, other);
    await make(other, (self) => self.unlink(one));
    scene.system.exit(other, 'shutdown');
    assert.equal(await isAlive(scene, one), true);
  });

  test('a link that was ended is none for either of the two', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    await link(one, other);
    await make(other, (self) => self.unlink(one));
    scene.system.exit(one, 'shutdown');
    assert.equal(await isAlive(scene, other), true);
  });

  test('each of several linked lives hears of the end, and ending one link leaves the others', async () => {
    const scene = stage();
    const lives = await Promise.all(['a', 'b', 'c', 'd'].map((name) => scene.spawn(puppet, name)));
    const [a, b, c, d] = lives as [(typeof lives)[0], (typeof lives)[0], (typeof lives)[0], (typeof lives)[0]];
    for (const each of [b, c]) {
      await trap(each);
      await link(a, each);
    }
    await make(a, (self) => self.unlink(d));
    scene.system.exit(a, oops);
    for (const each of [b, c]) assert.deepEqual(await heard(each), [[a.id, oops]]);
  });

  test('ending a link to a life that is not linked leaves the one link there is', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    const stranger = await scene.spawn(puppet);
    await link(one, other);
    await make(one, (self) => self.unlink(stranger));
    scene.system.exit(one, oops);
    assert.deepEqual(await scene.system.ended(other), oops);
  });

  test('a life that links itself to itself is not linked', async () => {
    const scene = stage();
    const one = await scene.spawn(puppet);
    await link(one, one);
    assert.equal(lifeAt(one)?.links, undefined);
  });

  test('the handles of a life that has ended link, monitor and trap nothing', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    let dead: Self<PuppetMessage> | undefined;
    await make(one, (self) => void (dead = self));
    scene.system.exit(one, 'kill');
    dead?.link(other);
    dead?.trapExit(hear);
    assert.equal(dead?.monitor(other, hear), -1);
    assert.deepEqual([lifeAt(other)?.links, lifeAt(other)?.watches], [undefined, undefined]);
    assert.equal(lifeAt(one)?.wrapExit, undefined);
  });

  test('linking to a life that ended is an error, or a message to who traps exits', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    const trapping = await scene.spawn(puppet);
    await trap(trapping);
    scene.system.exit(other, 'shutdown');
    await link(trapping, other);
    assert.deepEqual(await heard(trapping), [[other.id, 'noproc']]);
    await assert.rejects(link(one, other), { code: 'ended' });
  });

  test('the error of linking to a life that ended may be caught', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    scene.system.exit(other, 'shutdown');
    await make(one, (self) => assert.throws(() => self.link(other), { name: 'CallError', code: 'noproc' }));
    assert.equal(await isAlive(scene, one), true);
  });

  test('a life keeps no link to one that has ended', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    await link(one, other);
    await make(other, (self) => self.stop());
    await scene.system.idle();
    assert.equal(lifeAt(one)?.links, undefined);
  });

  test('a child may end the link to its parent, and link itself anew', async () => {
    for (const changes of [
      ['unlink', 'link'],
      ['unlink', 'link', 'unlink'],
      ['link', 'unlink'],
    ] as const) {
      const scene = stage();
      const kin = family();
      const sup = await scene.spawn(supervisor({ strategy: 'one_for_one', children: [kin.child('a')] }), 'sup');
      await make(kin.at('a'), (self) => changes.forEach((change) => self[change](sup)));
      scene.system.exit(sup, 'kill');
      await scene.system.idle();
      const isLinked = changes.at(-1) === 'link';
      assert.deepEqual(kin.diary, isLinked ? ['a starts', 'a stops'] : ['a starts'], changes.join());
    }
  });
});

describe('exit signals', () => {
  test('kill cannot be trapped, and those linked see killed', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    await trap(one);
    await trap(other);
    await link(one, other);
    scene.system.exit(other, 'kill');
    assert.equal(await scene.system.ended(other), 'killed');
    assert.deepEqual(await heard(one), [[other.id, 'killed']]);
  });

  test('a normal signal of another life is ignored', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    scene.system.exit(one, 'normal', other);
    assert.equal(await isAlive(scene, one), true);
  });

  test('a normal signal to itself ends a life', async () => {
    const scene = stage();
    const one = await scene.spawn(puppet);
    scene.system.exit(one, 'normal', one);
    assert.equal(await scene.system.ended(one), 'normal');
  });

  test('the signal of another life is a message to one that traps exits, that of the parent stops it', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    await trap(one);
    scene.system.exit(one, 'shutdown', other);
    assert.deepEqual(await heard(one), [[other.id, 'shutdown']]);
    scene.system.exit(one, 'shutdown');
    assert.equal(await scene.system.ended(one), 'shutdown');
  });

  test('an exit that came while a life trapped exits is a message, also when it does so no more', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    await trap(one);
    await make(one, (self) => {
      scene.system.exit(one, 'shutdown', other);
      self.untrapExit();
    });
    assert.deepEqual(await heard(one), [[other.id, 'shutdown']]);
  });

  test('a life that drops the exits it traps lives on, but stops with its parent', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    await make(one, (self) => self.trapExit());
    await link(one, other);
    scene.system.exit(other, 'kill');
    assert.equal(await isAlive(scene, one), true);
    scene.system.exit(one, 'shutdown');
    assert.equal(await scene.system.ended(one), 'shutdown');
  });

  test('an exit signal ends a life whose messages are held, whether any wait or not', async () => {
    for (const waiting of [0, 3]) {
      const scene = stage();
      const one = await scene.spawn(puppet);
      await trap(one);
      scene.system.suspend(one);
      for (let n = 0; n < waiting; n += 1) one.send({ type: 'do', run: () => assert.fail('ran') });
      scene.system.exit(one, 'shutdown');
      assert.equal(await scene.system.ended(one), 'shutdown');
    }
  });

  test('a life that traps exits no more ends by them again', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    await trap(one);
    await make(one, (self) => self.untrapExit());
    scene.system.exit(one, 'shutdown', other);
    assert.equal(await scene.system.ended(one), 'shutdown');
  });
});

describe('monitors', () => {
  test('each monitor tells once of the end, whatever the reason', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    await monitor(one, other);
    await monitor(one, other);
    await make(other, (self) => self.stop());
    await scene.system.idle();
    assert.deepEqual(await heard(one), [
      ['down', 'normal'],
      ['down', 'normal'],
    ]);
  });

  test('a monitor of a life that ended tells so at once', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    scene.system.exit(other, 'shutdown');
    await monitor(one, other);
    assert.deepEqual(await heard(one), [['down', 'noproc']]);
  });

  test('the end of a life ends its monitors', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    await monitor(one, other);
    scene.system.exit(one, 'kill');
    assert.equal(lifeAt(other)?.watches, undefined);
  });

  test('monitors tell in the order in which they were set', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    await make(one, (self) => {
      for (const what of ['a', 'b', 'c']) self.monitor(other, () => hear(what));
    });
    scene.system.exit(other, 'kill');
    assert.deepEqual(await heard(one), ['a', 'b', 'c']);
  });

  test('a life keeps nothing of monitors that have told or were ended', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    await monitor(one, other);
    await make(one, (self) => self.demonitor(self.monitor(other, hear)));
    assert.equal(lifeAt(one)?.monitors?.size, 1);
    scene.system.exit(other, 'kill');
    await heard(one);
    assert.equal(lifeAt(one)?.monitors?.size, 0);
  });

  test('a monitor that was ended tells nothing', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    await make(one, (self) => self.demonitor(self.monitor(other, hear)));
    scene.system.exit(other, 'shutdown');
    assert.deepEqual(await heard(one), []);
  });

  test('a flush takes the message out of the mailbox, and leaves the others in their order', async () => {
    const scene = stage();
    const [one, other] = await two(scene);
    let number = -1;
    await make(one, (self) => void (number = self.monitor(other, hear)));
    await make(one, (self) => {
      for (const what of ['a', 'b', 'c']) self.send(hear(what));
      scene.system.exit(other, 'shutdown');
      for (const what of ['d', 'e', 'f', 'g', 'h', 'i']) self.send(hear(what));
      assert.equal(scene.system.inspect()[0]?.mailbox, 10);
      self.demonitor(number, 'flush');
      assert.equal(scene.system.inspect()[0]?.mailbox, 9);
      self.demonitor(number, 'flush');
    });
    assert.deepEqual(await heard(one), ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
  });

  for (const flush of [undefined, 'flush'] as const) {
    test(`a message that a monitor left in the mailbox ${flush ? 'goes with a flush' : 'stays without a flush'}`, async () => {
      const scene = stage();
      const [one, other] = await two(scene);
      await make(one, (self) => {
        const number = self.monitor(other, ({ reason }) => hear(['down', reason]));
        scene.system.exit(other, 'shutdown');
        self.demonitor(number, flush);
      });
      assert.deepEqual(await heard(one), flush ? [] : [['down', 'shutdown']]);
    });
  }
});
