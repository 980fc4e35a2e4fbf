import { html } from 'hono/html';
import type { Html, ViewContext } from './view.ts';
import { short } from './text.ts';

/** A link to a project. */
export function projectLink(id: string, name?: string): Html {
  return html`<a href="projects/${encodeURIComponent(id)}">${short(name ?? id)}</a>`;
}

/** The host and path of the first address that a project without a name of its own tracks, which says more than an id chosen by the daemon. */
export function addressOfUnnamed({
  id,
  name,
  targets: [first],
}: {
  readonly id: string;
  readonly name: string;
  readonly targets: readonly { readonly url: string }[];
}): string | undefined {
  const url = name === id && first !== undefined ? URL.parse(first.url) : null;
  return url === null ? undefined : `${url.host}${url.pathname === '/' ? '' : url.pathname}`;
}

/** Links to the first of several projects, by their names, with the number of the others. */
export function projectLinks({ projectName }: ViewContext, ids: readonly string[], most = 2): Html {
  const more = ids.length - most;
  const links = ids.slice(0, most).map(async (id, index) => {
    const name = await projectName(id);
    return html`${index === 0 ? '' : ', '}${projectLink(id, name)}`;
  });
  return html`${links}${more > 0 ? ` +${more}` : ''}`;
}

/** A link to a source. */
export function sourceLink(id: string): Html {
  return html`<a href="sources/${encodeURIComponent(id)}">${short(id)}</a>`;
}

/** A link to a host, by its politeness key. */
export function hostLink(key: string): Html {
  return html`<a href="hosts/${encodeURIComponent(key)}">${short(key)}</a>`;
}

/** The search that finds the projects with a label. */
export function labelQuery(label: string): string {
  const isWord = /^[\p{L}\p{N}._-]+$/u.test(label);
  return isWord ? `label:${label}` : `label:"${label.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** Links to the projects with each of some labels. */
export function labelLinks(labels: readonly string[], length: number): Html {
  return html`${labels.map((label) => html`<a class="label" href="projects?q=${encodeURIComponent(labelQuery(label))}">${short(label, length)}</a> `)}`;
}

/** A link to a scrape. */
export function scrapeLink(scrape: number): Html {
  return html`<a href="scrapes/${String(scrape)}">${String(scrape)}</a>`;
}

/** A link to a ticket. */
export function ticketLink(ticket: number): Html {
  return html`<a href="tickets/${String(ticket)}">${String(ticket)}</a>`;
}

/** The number of a target, by which people name it. */
export function targetLabel(target: number | undefined): Html | '' {
  return target === undefined ? '' : html`<span class="target">target ${String(target)}</span>`;
}
