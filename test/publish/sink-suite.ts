import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { expectation } from '../../src/definition/problem.ts';
import { BodyBudget } from '../../src/fetch/body-budget.ts';
import { createClient } from '../../src/fetch/wire/client.ts';
import { createPost, mostPosts } from '../../src/publish/post.ts';
import type { Message, OpenSink, SinkPorts } from '../../src/publish/sink.ts';
import { openSink, type SinkKindName, sinkKinds } from '../../src/publish/sinks/all.ts';
import { Slots } from '../../src/publish/slots.ts';
import { runWithInput } from '../../src/plugin/program-with-input.ts';
import { secretsFrom } from '../../src/session/secret-store.ts';

/** A receiver of a test: what its sink is given as options, and what has arrived. */
export interface Receiver {
  readonly options: unknown;
  /** Secrets that the options name. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** What arrived so far, in order: the ids of messages where the receiver sees them, and their bodies. */
  arrived():
    | readonly { readonly id?: string; readonly body: unknown }[]
    | Promise<readonly { readonly id?: string; readonly body: unknown }[]>;
  /** Refuses all deliveries until it is called with false. Missing where it cannot. */
  refuse?(on: boolean): void | Promise<void>;
  /** Ports that differ from those of a daemon. */
  readonly ports?: Partial<SinkPorts>;
}

/** What a suite is given of a kind. */
export interface SinkSuiteOptions {
  /** Options that the kind must refuse, besides one of a name that it does not know. */
  readonly badOptions?: readonly unknown[];
  /** Set where the receiver cannot refuse. */
  readonly neverRefuses?: boolean;
  /** Opens a receiver, which ends with the test. */
  receiver(test: TestContext): Promise<Receiver>;
}

/** A message on a record, as the daemon makes them. */
export function recordMessage(
  number: number,
  key = `K${number}`,
  fields: Record<string, unknown> = { price: number },
): Message {
  const at = Date.UTC(2026, 2, 14, 9, 30, number % 60);
  const data = {
    type: 'product',
    key,
    fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { new: value as never }])),
  };
  const event = {
    id: number,
    version: 1,
    at,
    projects: ['solar'],
    source: 'shop',
    target: 1,
    type: 'record.added',
    data,
  } as const;
  return {
    id: `gen-${number}`,
    key: `shop/product/${key}`,
    type: event.type,
    at,
    event,
    body: { ...event, id: `gen-${number}` },
  };
}

/** The ports of a sink of a test: real requests, a folder of its own, secrets as given. */
export async function sinkPorts(
  test: TestContext,
  { secrets = {}, ports = {} }: Pick<Receiver, 'secrets' | 'ports'> = {},
): Promise<SinkPorts> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-sink-'));
  test.after(() => rm(folder, { recursive: true, force: true }));
  const clock = systemClock();
  const client = createClient({ budget: new BodyBudget({ onRoom: () => undefined }), userAgent: 'Heronry/0.0.0' });
  test.after(() => client.close());
  const environment = Object.fromEntries(
    Object.entries(secrets).map(([name, text]) => [`HERONRY_SECRET_${name}`, text]),
  );
  return {
    sink: 'tested',
    clock,
    findSecrets: secretsFrom({ environment }),
    post: createPost({ client, clock, sink: 'tested', slots: new Slots(mostPosts) }),
    folder: join(folder, 'tested'),
    record: () => undefined,
    recordType: () => undefined,
    fieldsAfter: () => ({}),
    seenIn: () => ({ rows: [] }),
    correctedBy: () => ({ rows: [] }),
    run: ({ signal, ...program }) =>
      runWithInput({ ...program, signal, folder: join(folder, 'plugins'), log: () => undefined }),
    log: () => undefined,
    print: () => Promise.resolve(),
    ...ports,
  };
}

/** Opens a sink as the daemon does, from options as a file has them; it closes with the test. */
export async function openedSink(test: TestContext, name: SinkKindName, receiver: Receiver): Promise<OpenSink> {
  const options: unknown = sinkKinds[name].options.parse(receiver.options, { error: expectation });
  const sink = await openSink(name, options, await sinkPorts(test, receiver));
  test.after(() => sink.close());
  return sink;
}

/** What every kind of sink does, whatever it delivers to. */
export function sinkSuite(
  name: SinkKindName,
  { badOptions = [], neverRefuses = false, receiver: open }: SinkSuiteOptions,
): void {
  const never = new AbortController().signal;

  describe(`a sink of the kind ${name}`, () => {
    test('refuses options that it does not know', async (t) => {
      const { options } = await open(t);
      const given = typeof options === 'object' ? options : {};
      for (const bad of [{ ...given, nosuchoption: 1 }, ...badOptions])
        assert.equal(sinkKinds[name].options.safeParse(bad).success, false, JSON.stringify(bad));
      assert.equal(sinkKinds[name].options.safeParse(options).success, true);
    });

    test('delivers messages in order, with a result for each', async (t) => {
      const receiver = await open(t);
      const sink = await openedSink(t, name, receiver);
      const messages = Array.from({ length: 5 }, (_, index) => recordMessage(index + 1));
      const { batch = 1 } = sinkKinds[name];
      for (let from = 0; from < messages.length; from += batch) {
        const part = messages.slice(from, from + batch);
        const results = await sink.deliver(part, never);
        assert.deepEqual(
          results.map(({ ok }) => ok),
          part.map(() => true),
          JSON.stringify(results),
        );
      }
      const arrived = await receiver.arrived();
      assert.equal(arrived.length, messages.length);
      for (const [index, { id }] of arrived.entries()) if (id !== undefined) assert.equal(id, messages[index]?.id);
    });

    test('delivers whatever characters a site gave', async (t) => {
      const receiver = await open(t);
      const sink = await openedSink(t, name, receiver);
      const odd = recordMessage(1, 'Käse "%" 🧀\n日本', { title: 'a\u2028b\u0000"\\\'' });
      assert.deepEqual(
        (await sink.deliver([odd], never)).map(({ ok }) => ok),
        [true],
      );
      assert.equal((await receiver.arrived()).length, 1);
    });

    if (neverRefuses) return;

    test('tells a refusal as a failure, shows no secret, and delivers when it is over', async (t) => {
      const receiver = await open(t);
      const sink = await openedSink(t, name, receiver);
      await receiver.refuse?.(true);
      const [refused] = await sink.deliver([recordMessage(1)], never);
      assert.ok(refused?.ok === false, 'expected a failure');
      assert.match(refused.failure.message, /^[a-z`]/, 'a sentence for people');
      for (const text of Object.values(receiver.secrets ?? {})) assert.ok(!JSON.stringify(refused).includes(text));
      await receiver.refuse?.(false);
      const [delivered] = await sink.deliver([recordMessage(1)], never);
      assert.equal(delivered?.ok, true, JSON.stringify(delivered));
    });
  });
}
