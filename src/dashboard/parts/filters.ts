import { html } from 'hono/html';
import type { Html } from './view.ts';

/** An input by which a list is narrowed. */
interface Filter {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

/**
 * A form that narrows the list of a page.
 *
 * @param kept - what of the present narrowing stays as it is.
 */
export function filters(path: string, kept: Readonly<Record<string, string>>, inputs: readonly Filter[]): Html {
  return html`<form class="action filters" action="${path}" method="get" role="search" aria-label="Narrow the list">
    ${Object.entries(kept).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${inputs.map(
      ({ name, label, value }) =>
        html`<label
          >${label} <input type="search" name="${name}" value="${value}" autocomplete="off" spellcheck="false"
        /></label>`,
    )}
    <button>Show</button>
  </form>`;
}
