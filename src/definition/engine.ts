import * as z from 'zod';
import { Duration, Interval } from '../schema/duration.ts';
import { faultCheck } from '../schema/checked-text.ts';
import { expected, got } from '../schema/expected.ts';
import { SecretName, SecretRef } from '../schema/secret-name.ts';
import { strict } from '../schema/strict.ts';

const protocols = /^(?:rediss?|postgres(?:ql)?):$/;
const what = 'a redis, rediss, postgres or postgresql URL';

/** The server of the queues. Its password stands under `password`, or the whole address is a secret. */
const QueueUrl = z.union([
  z
    .string()
    .max(2_083)
    .superRefine(
      faultCheck((text) => {
        const url = URL.parse(text);
        if (url === null || !protocols.test(url.protocol)) return got(text, `${what}, or { secret: NAME }`);
        return url.password === ''
          ? undefined
          : `expected ${what} without a password: name its secret under "password"`;
      }),
    ),
  SecretRef,
]);

/** The most worker processes that a daemon asks for. */
export const mostWorkers = 1_000;

/** When a ticket is opened on worker processes. */
const AlarmSettings = strict({
  /** One is silent for so long. */
  offline: Duration.prefault('2m'),
  /** The share of the steps of 15 minutes that worker processes broke. */
  broken: z.number().min(0).max(1).default(0.01),
  /** The mean wait of the steps of a minute for a worker process. */
  wait: Duration.prefault('1s'),
  /** How long share or wait are beyond that. */
  lasting: Duration.prefault('5m'),
});

/** What the daemon does about worker processes. */
const WorkersSettings = strict({
  /** How long one that went away without a word is still shown. */
  forgetAfter: Interval.prefault('1h'),
  alarms: AlarmSettings.prefault({}),
  /** How many are wanted at least and at most; an operator may say otherwise at run time. By default the daemon starts none. */
  min: z.int().min(0).max(mostWorkers).default(0),
  max: z.int().min(0).max(mostWorkers).default(0),
  /** Who starts and ends them: the daemon itself, on its own machine, or others, whom the event `workers.wanted` tells how many are wanted. */
  by: z.enum(['daemon', 'others']).default('daemon'),
  /** The number of steps that each runs at a time. */
  concurrency: z.int().min(1).max(9_999).default(16),
  /** A turn that waits for longer for room in flight alone is late. */
  late: Duration.prefault('2s'),
  /** More are wanted once turns have been late for so long, and again after as long. */
  addAfter: Duration.prefault('15s'),
  /** One less is wanted once it could be spared for so long, and again after as long. */
  removeAfter: Duration.prefault('5m'),
}).superRefine(({ min, max }, context) => {
  if (min <= max) return;
  const message = got(min, `at most as many as \`max\`, which is ${max}${max === 0 ? ', by default' : ''}`);
  context.addIssue({ code: 'custom', path: ['min'], message });
});

const BullmqSettings = strict({
  url: QueueUrl,
  /** The secret that is the password of the address. */
  password: SecretName.exactOptional(),
  /** The name that a daemon and its worker processes share, where several use one server: at most 40 small letters, digits and `-`, with a letter first. */
  cluster: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/, expected('at most 40 small letters, digits and "-", with a letter first'))
    .default('heronry'),
  /** The file of the key that a daemon and its worker processes share. Default: `cluster.key` in the data folder, made by the daemon. */
  key: z.string().min(1).exactOptional(),
  workers: WorkersSettings.prefault({}),
});

/** Where steps run. */
export const EngineSettings = strict({
  /** Steps are run by worker processes, to which BullMQ hands them. */
  bullmq: BullmqSettings,
});
export type WorkersSettings = z.infer<typeof WorkersSettings>;
export type EngineSettings = z.infer<typeof EngineSettings>;
