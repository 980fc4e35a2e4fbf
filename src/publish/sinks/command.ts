import * as z from 'zod';
import { defined } from '../../defined.ts';
import { Duration } from '../../schema/duration.ts';
import { Command, programCommand } from '../../schema/program-command.ts';
import { SecretName } from '../../schema/secret-name.ts';
import { strict } from '../../schema/strict.ts';
import type { SinkKind } from '../sink.ts';

/** The status of a program that wants to be told again later, as `sysexits.h` has it. */
const tryAgain = 75;

const Options = strict({
  /** The program and its arguments. */
  run: Command,
  /** Secrets that it finds in its environment, as `HERONRY_SECRET_<NAME>`. */
  secrets: z.array(SecretName).max(20).default([]),
  /** After so long the program is ended, and the delivery has failed. */
  limit: Duration.prefault('1m'),
});

/** Runs a program of the operator's for each message. */
export const command: SinkKind<z.infer<typeof Options>> = {
  options: Options,
  doc: 'Runs a program in the folder of plug-ins for each message, which it reads as JSON on its standard input.',
  open: async ({ run: words, secrets: names, limit }, ports) => ({
    async deliver(batch, signal) {
      const found = await ports.findSecrets(names);
      if (!found.ok)
        return batch.map(() => ({ ok: false, failure: { code: 'secret_missing', message: found.message } }));
      return Promise.all(
        batch.map(async ({ id, type, body }) => {
          const { status, text, ms } = await ports.run({
            command: programCommand(words),
            input: `${JSON.stringify(body)}\n`,
            env: { HERONRY_SINK: ports.sink, HERONRY_MESSAGE_ID: id, HERONRY_MESSAGE_TYPE: type },
            secrets: found.secrets,
            limitMs: limit,
            signal,
          });
          if (status === 0) return { ok: true, ...defined({ ms }) };
          const code = signal.aborted ? 'cancelled' : status === tryAgain ? 'try_again' : 'program_failed';
          return { ok: false, failure: { code, message: text }, ...defined({ ms }) };
        }),
      );
    },
    async close() {},
  }),
};
