import { isSecretName } from '../schema/secret-name.ts';
import type { Source } from './source.ts';

/** Returns a warning for each header of a source's requests that is called like a secret: its value stands in the definition as plain text. */
export function headerWarnings(sources: readonly Source[]): string[] {
  return sources.flatMap(({ id, request }) =>
    Object.keys(request.headers)
      .filter(isSecretName)
      .map(
        (name) =>
          `source ${id}: request.headers has "${name}" as plain text: \`auth: { type: bearer, header: ${name}, token: { secret: NAME } }\` sends a secret that is only named`,
      ),
  );
}
