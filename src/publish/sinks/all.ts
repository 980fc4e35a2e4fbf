import type { OpenSink, SinkKind, SinkPorts } from '../sink.ts';
import { amqp } from './amqp.ts';
import { command } from './command.ts';
import { discord } from './discord.ts';
import { email } from './email.ts';
import { ndjson } from './ndjson.ts';
import { parquet } from './parquet.ts';
import { postgres } from './postgres.ts';
import { stdout } from './stdout.ts';
import { webhook } from './webhook.ts';

/** All kinds of sinks, by the key of a sink file that says what the kind needs. To add one is to add its file and a line here. */
export const sinkKinds = { webhook, discord, email, command, amqp, postgres, ndjson, parquet, stdout } as const;

/** The name of a kind of sink. */
export type SinkKindName = keyof typeof sinkKinds;

/** The names of all kinds. */
export const sinkKindNames = Object.keys(sinkKinds) as readonly SinkKindName[];

/** Opens a sink with options that the schema of its kind has read, as `SinkKind.open` does. */
export function openSink(name: SinkKindName, options: unknown, ports: SinkPorts): Promise<OpenSink> {
  // The one place where kinds of different options meet.
  const kind: SinkKind<unknown> = sinkKinds[name];
  return kind.open(options, ports);
}
