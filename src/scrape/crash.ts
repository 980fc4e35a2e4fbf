import type { ExtractFailure } from '../extract/draft.ts';
import type { PluginFailureCode } from '../plugin/protocol.ts';
import type { Failure } from '../view/fields.ts';

/**
 * Failures that are the doing of a plug-in, or of a page to its thread, and count against the target as crashes do: how many in a row
 * park it. A page takes a thread for its whole time limit, so that two are enough.
 */
const crashesToPark: ReadonlyMap<string, number> = new Map<PluginFailureCode | ExtractFailure['code'], number>([
  ['plugin_timeout', 4],
  ['plugin_memory', 4],
  ['plugin_exited', 4],
  ['plugin_crashed', 4],
  ['plugin_threw', 4],
  ['plugin_bad_result', 4],
  ['extract_timeout', 2],
  ['extract_crashed', 2],
]);

/**
 * How many failures like this in a row park a target; `undefined` for one that is no crash. What a plug-in throws because a request of its
 * own failed is the doing of the site.
 *
 * @param cause - the code of that request's failure.
 */
export function parksAfter({ code }: Pick<Failure, 'code'>, cause?: string): number | undefined {
  return cause === undefined ? crashesToPark.get(code) : undefined;
}
