import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { CallError } from '../actor/errors.ts';
import { terminateChild } from '../actor/management.ts';
import { ignore, type ChildSpec } from '../actor/types.ts';
import { defined } from '../defined.ts';
import { allFields } from '../definition/all-fields.ts';
import type { Catalogue } from '../definition/catalogue.ts';
import { typeText } from '../definition/shared-type.ts';
import { idIn, sinksName } from '../definition/problem.ts';
import { createClient } from '../fetch/wire/client.ts';
import { createPost, mostPosts } from '../publish/post.ts';
import { mostPrograms } from '../plugin/program.ts';
import { runWithInput, type ProgramWithInput } from '../plugin/program-with-input.ts';
import type { DeclaredType, ProgramEnd, ProgramRun, SinkPorts } from '../publish/sink.ts';
import { Slots } from '../publish/slots.ts';
import { readCorrections } from '../store/corrections.ts';
import { fieldsAfter } from '../store/fields-after.ts';
import { forgetSinks } from '../store/sinks.ts';
import { deliverer } from '../../workers/deliverer.ts';
import type { Daemon } from './parts.ts';

/** The actors that deliver to sinks: how each is started, ended and replaced when its file changes. */
export interface SinkActors {
  /** The id of the child of `edge` that delivers to a sink. */
  childOf(sink: string): string;
  /** The starts of the deliverers of the sinks that are loaded, by the ids of these children. */
  starts(): ReadonlyMap<string, ChildSpec['start']>;
  /** Ends the deliverer of a sink. It is started again by the next pass of the reconciler, if the sink is loaded. */
  end(sink: string): Promise<void>;
  /** Ends the deliverers of sinks whose definition changed, and removes the stored state of sinks whose files are gone. */
  replaced(before: Catalogue, after: Catalogue): Promise<void>;
}

type Parts = Omit<Daemon, 'sinks'>;

/** Creates the sinks of a daemon, with the ports that each may use. */
export function createSinks(
  daemon: Pick<Parts, 'options' | 'clock' | 'names' | 'state' | 'bodies' | 'secrets'>,
): SinkActors {
  const { options, clock, names, state, bodies, secrets } = daemon;
  const slots = new Slots(mostPosts);
  const programs = new Slots(mostPrograms);
  const print = options.print ?? printLine;
  return {
    childOf,
    starts: () => new Map([...state.catalogue().sinks.keys()].map((id) => [childOf(id), startOf(id)])),
    end,
    async replaced(before, after) {
      const changed = [...before.sinks].filter(([id, sink]) => !isDeepStrictEqual(after.sinks.get(id), sink));
      for (const [id] of changed) await end(id);
      const broken = after.problems.flatMap((problem) => idIn(sinksName, problem) ?? []);
      const known = new Set([...after.sinks.keys(), ...broken]);
      await state.unlessFull(() => forgetSinks(state.store(), known));
    },
  };

  function childOf(sink: string): string {
    return `sink:${sink}`;
  }

  function startOf(id: string): ChildSpec['start'] {
    return (self) => {
      const sink = state.catalogue().sinks.get(id);
      if (sink === undefined) return ignore;
      const deps = { clock, random: () => options.random(), registry: names.sinks, catalogue: state.catalogue };
      return deliverer(self, sink, { ...deps, store: state.store(), openPorts });
    };
  }

  async function end(sink: string): Promise<void> {
    const child = names.edge.whereis(childOf(sink));
    if (child !== undefined) await unlessEnded(terminateChild(names.supervisors.via('edge'), child));
  }

  async function runProgram(sink: string, { signal, ...program }: ProgramRun): Promise<ProgramEnd> {
    const log: ProgramWithInput['log'] = ({ level, message }) => options.log?.(level, message, { sink });
    try {
      const told = { ...program, signal, folder: options.plugins, log };
      return await programs.run(
        sink,
        async () => {
          const startedAt = clock.monotonic();
          return { ...(await runWithInput(told)), ms: clock.monotonic() - startedAt };
        },
        signal,
      );
    } catch (error) {
      if (!signal.aborted) throw error;
      return { text: 'cancelled' };
    }
  }

  function openPorts(sink: string): { readonly ports: SinkPorts; close(): Promise<void> } {
    const client = createClient({ budget: bodies, userAgent: options.bot.userAgent });
    const ports: SinkPorts = {
      sink,
      clock,
      findSecrets: secrets.remembered,
      post: createPost({ client, clock, sink, slots }),
      folder: join(options.data, 'sinks', sink),
      record: ({ source, type, key }) => state.store().records.get(source, type, key),
      fieldsAfter: (record, event) => fieldsAfter(state.store(), record, event),
      log: (level, message, data = {}) => options.log?.(level, message, { sink, ...data }),
      recordType: ({ source, type }) => declaredType(state.catalogue(), source, type),
      seenIn: ({ target, scrape, after }) =>
        state.store().records.seenLastIn(scrape, target, { after, limit: seenRecords }),
      correctedBy: ({ event, after }) => readCorrections(state.store(), event, { after, limit: correctedRows }),
      run: ({ signal, ...program }) => runProgram(sink, { ...program, signal }),
      print,
    };
    return { ports, close: () => client.close() };
  }
}

/** The records of a scrape that a sink reads at a time, at most. */
const seenRecords = 1_000;

/** The corrections that a sink reads at a time, at most. */
const correctedRows = 500;

/** Declared types by their definitions: each message asks for one. */
const declaredTypes = new WeakMap<object, DeclaredType>();

function declaredType({ sources }: Catalogue, source: string, type: string): DeclaredType | undefined {
  const { records } = sources.get(source)?.source ?? {};
  const record = records !== undefined && Object.hasOwn(records, type) ? records[type] : undefined;
  if (record === undefined) return undefined;
  const known = declaredTypes.get(record);
  if (known !== undefined) return known;
  const fields = Object.entries(allFields(record)).map(([name, rule]) => [name, typeText(rule)] as const);
  const declared = { fields: Object.fromEntries(fields), ...defined({ is: record.is }) };
  declaredTypes.set(record, declared);
  return declared;
}

/** Resolves with the answer of an actor, or with `undefined` if the actor ends before it answers. */
export async function unlessEnded<T>(asked: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof CallError) return undefined;
    throw error;
  }
}

function printLine(line: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
}
