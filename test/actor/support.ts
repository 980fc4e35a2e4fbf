import { VirtualClock } from '../../src/clock.ts';
import type { Report } from '../../src/actor/report.ts';
import { whichChildren } from '../../src/actor/management.ts';
import { supervisor, type SupervisorSpec } from '../../src/actor/supervisor.ts';
import { createSystem, type System } from '../../src/actor/system.ts';
import type { Actor, Behaviour, ChildSpec, Exit, ExitReason, Ref, Reply, Self } from '../../src/actor/types.ts';

/** A system in virtual time, and what it reported. */
export interface Stage {
  readonly system: System;
  readonly clock: VirtualClock;
  readonly reports: readonly Report[];
  /** Spawns an actor that is expected to start. */
  readonly spawn: <M>(actor: Actor<M>, id?: string) => Promise<Ref<M>>;
  /** Lets `ms` pass timer by timer, each to its last consequence. */
  readonly elapse: (ms: number) => Promise<void>;
}

export function stage(): Stage {
  const clock = new VirtualClock();
  const reports: Report[] = [];
  const system = createSystem({ clock, report: (report) => reports.push(report) });
  return {
    system,
    clock,
    reports,
    async spawn(actor, id = 'actor') {
      const spawned = await system.spawn(actor, { id });
      if (spawned.ok !== true) throw new Error(`${id} did not start`);
      return spawned.ref;
    },
    async elapse(ms) {
      const until = clock.monotonic() + ms;
      await system.idle();
      for (let next = clock.next(); next !== undefined && next <= until; next = clock.next()) {
        clock.advance(next - clock.monotonic());
        await system.idle();
      }
      clock.advance(until - clock.monotonic());
    },
  };
}

/** What a `puppet` can be told to do. */
export type PuppetMessage =
  | { readonly type: 'do'; readonly run: (self: Self<PuppetMessage>) => void | Promise<void> }
  | { readonly type: 'hear'; readonly what: unknown }
  | { readonly type: 'heard'; readonly reply: Reply<readonly unknown[]> };

/** An actor that does in its own turn what a test tells it, and remembers what it heard. */
export function puppet(self: Self<PuppetMessage>): Behaviour<PuppetMessage> {
  const heard: unknown[] = [];
  return {
    receive(message) {
      switch (message.type) {
        case 'do':
          return message.run(self);
        case 'hear':
          heard.push(message.what);
          return;
        case 'heard':
          return message.reply([...heard]);
        default:
          message satisfies never;
      }
    },
  };
}

/** Has a puppet do something, and waits until it has. */
export function make(ref: Ref<PuppetMessage>, run: (self: Self<PuppetMessage>) => void): Promise<void> {
  return ref.ask<void>((reply) => ({
    type: 'do',
    run: (self) => {
      run(self);
      reply();
    },
  }));
}

export function heard(ref: Ref<PuppetMessage>): Promise<readonly unknown[]> {
  return ref.ask<readonly unknown[]>((reply) => ({ type: 'heard', reply }));
}

export function hear(what: unknown): PuppetMessage {
  return { type: 'hear', what };
}

/** Lives of named children, and a diary of their starts and ends. */
export interface Family {
  readonly diary: string[];
  /** A child that writes its starts and ends down, and traps exits. */
  readonly child: (id: string, spec?: Partial<ChildSpec>) => ChildSpec;
  /** How often this child was started. */
  readonly lives: (id: string) => number;
  /** Ends the present life of a child: a reason that is not normal is thrown. */
  readonly leave: (id: string, reason: ExitReason) => void;
  /** The address of the present life. */
  readonly at: (id: string) => Ref<PuppetMessage>;
  /** Makes the next starts of a child fail. */
  readonly failStarts: (id: string, times: number) => void;
}

export function family(): Family {
  const diary: string[] = [];
  const lives = new Map<string, number>();
  const refs = new Map<string, Ref<PuppetMessage>>();
  const failures = new Map<string, number>();

  return {
    diary,
    child: (id, spec = {}) => ({ id, start: (self) => start(id, self), ...spec }),
    lives: (id) => lives.get(id) ?? 0,
    leave: (id, reason) => at(id).send({ type: 'do', run: (self) => self.stop(reason) }),
    at,
    failStarts: (id, times) => void failures.set(id, times),
  };

  function at(id: string): Ref<PuppetMessage> {
    const ref = refs.get(id);
    if (ref === undefined) throw new Error(`${id} never started`);
    return ref;
  }

  function start(id: string, self: Self<PuppetMessage>): Behaviour<PuppetMessage> {
    const failing = failures.get(id) ?? 0;
    if (failing > 0) {
      failures.set(id, failing - 1);
      diary.push(`${id} fails`);
      throw new Error('not today');
    }
    lives.set(id, (lives.get(id) ?? 0) + 1);
    refs.set(id, self.ref);
    diary.push(`${id} starts`);
    self.trapExit((exit: Exit) => hear(['exit', exit.reason]));
    return { ...puppet(self), stop: () => void diary.push(`${id} stops`) };
  }
}

/** A supervisor of children `a`, `b` and `c`, whose diary starts after their first start. */
export async function trio(spec: Partial<SupervisorSpec> = {}, childSpec = {}) {
  const scene = stage();
  const kin = family();
  const children = ['a', 'b', 'c'].map((id) => kin.child(id, childSpec));
  const sup = await scene.spawn(supervisor({ strategy: 'one_for_one', children, ...spec }), 'sup');
  kin.diary.length = 0;
  const ids = async () =>
    (await whichChildren(sup)).map(({ id, child }) => [id, typeof child === 'string' ? child : 'runs']);
  return { ...scene, ...kin, sup, ids };
}
