import type { Clock } from '../clock.ts';
import type { PluginServices } from '../plugin/services.ts';
import { type Secret, withoutSecrets } from '../session/secret.ts';
import type { FindSecrets } from '../session/secret-store.ts';
import type { Log } from './teller.ts';

/** How long what was found of secrets serves: each page may want to know. */
const servesMs = 10_000;

const none: ReadonlyMap<string, Secret> = new Map();

export interface PluginSecretsDeps {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly findSecrets: FindSecrets;
  readonly log: Log;
}

/** What plug-ins may know and nobody else may see. */
export interface PluginSecrets {
  /** All that are named and set; of one that is not, the plug-in learns when it asks. */
  secretsOf(names: readonly string[] | undefined): Promise<ReadonlyMap<string, Secret>>;
  /** What a call says, without the secrets that are named. */
  telling(
    names: readonly string[] | undefined,
    of: Readonly<Record<string, unknown>>,
  ): Promise<Pick<PluginServices, 'log' | 'hide'>>;
  /** Puts what a call says into the log, with what it is of. */
  logged(of: Readonly<Record<string, unknown>>): PluginServices['log'];
}

export function createPluginSecrets({ clock, findSecrets, log }: PluginSecretsDeps): PluginSecrets {
  /** What was looked up since `lookedAt`, by name. */
  const found = new Map<string, ReturnType<FindSecrets>>();
  let lookedAt = -Infinity;
  return { secretsOf, telling, logged };

  async function secretsOf(names: readonly string[] = []): Promise<ReadonlyMap<string, Secret>> {
    if (names.length === 0) return none;
    if (clock.monotonic() - lookedAt >= servesMs) {
      found.clear();
      lookedAt = clock.monotonic();
    }
    const all = await Promise.all(names.map(secretOf));
    return new Map(all.flatMap((each) => (each.ok ? [...each.secrets] : [])));
  }

  function secretOf(name: string): ReturnType<FindSecrets> {
    const known = found.get(name) ?? findSecrets([name]);
    found.set(name, known);
    return known;
  }

  async function telling(
    names: readonly string[] | undefined,
    of: Readonly<Record<string, unknown>>,
  ): Promise<Pick<PluginServices, 'log' | 'hide'>> {
    const secrets = await secretsOf(names);
    return { log: logged(of), hide: (text) => withoutSecrets(text, secrets.values()) };
  }

  function logged(of: Readonly<Record<string, unknown>>): PluginServices['log'] {
    return ({ level, message, data }) => log(level, message, { ...of, ...(data !== undefined && { data }) });
  }
}
