import { unknownIn } from './form-issues.ts';
import type { Outline } from './outline.ts';
import type { Issue } from '../schema/expected.ts';
import { isMapping } from '../schema/mapping.ts';
import { parametersIn, placeholdersOf } from './url-pattern.ts';

/** Yields issues of texts that are typed in the browser: parameters that the source's address does not have. */
export function* renderIssues({ url = '', plugin, render }: Outline): Generator<Issue> {
  // The parameters of a plug-in are its own.
  if (plugin !== undefined || !isMapping(render) || !Array.isArray(render['do'])) return;
  const known = placeholdersOf(url);
  for (const [index, action] of render['do'].entries())
    if (isMapping(action) && typeof action['type'] === 'string')
      yield* unknownIn(parametersIn(action['type']), known, ['render', 'do', index, 'type']);
}
