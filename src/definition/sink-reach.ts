import { reachOf } from './private-address.ts';
import { kindOf, type Sink } from './sink.ts';

/** Returns a warning for each sink whose address is private by its look while its file does not allow that: each of its messages is refused. */
export function reachWarnings(sinks: readonly Sink[]): string[] {
  return sinks.flatMap((sink) => {
    const { name } = kindOf(sink);
    const options = name === 'webhook' || name === 'discord' ? sink[name] : undefined;
    if (options === undefined || options.allowPrivate || typeof options.url !== 'string') return [];
    const { host } = new URL(options.url);
    if (reachOf(options.url).allowPrivate === undefined) return [];
    return [
      `sink ${sink.id}: ${host} looks like a private address: nothing is sent to one without \`allowPrivate: true\``,
    ];
  });
}
