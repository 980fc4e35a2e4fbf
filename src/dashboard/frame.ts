import { createHash } from 'node:crypto';
import type { Frame } from './parts/view.ts';

/** How a page of a site looks in its frame; the only style there is. */
const style = `
:root { color-scheme: light dark; --line: light-dark(#c9c9c2, #4a4f57); --read: light-dark(#1d6b37, #74cf93); --picked: light-dark(#a51d2d, #ff8e8e) }
body { margin: 12px; font: 14px/1.5 system-ui, sans-serif; color: light-dark(#1c1d1f, #e8e8e6); background: light-dark(#fff, #1b1d20); overflow-wrap: anywhere }
a { color: inherit; text-decoration: none }
a:hover, a:focus { outline: 2px solid light-dark(#0b5cad, #7db8f5) }
/* All of a block leads to its text, not the letters alone. */
:is(h1, h2, h3, h4, h5, h6, p, li, dt, dd, td, th, div, caption, figcaption) > a:only-child { display: block }
small { color: light-dark(#5d6066, #a2a6ad) }
td, th { border: 1px solid var(--line); padding: 2px 6px; vertical-align: top }
table { border-collapse: collapse }
.read { outline: 1px dashed var(--read); outline-offset: 1px }
.read::after { content: ' ' attr(data-fields); font: 11px/1 ui-monospace, monospace; color: var(--read) }
.picked { outline: 3px solid var(--picked) !important; outline-offset: 1px }
`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** What a frame may do: show texts in that one style, and lead its window to where a person clicks. No script runs, nothing is loaded and no form is sent. */
export const frameHeaders = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-top-navigation-by-user-activation`,
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'no-referrer',
};

/** Renders a page of a site, as it was drawn, as the document of a frame; each place that can be chosen leads to the page of the dashboard that proposes rules for it. */
export function frameDocument({ html, to }: Frame, base: string): string {
  const target = `${base}${to}${to.includes('?') ? '&' : '?'}pick=`.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  // All texts of the site are escaped, so that this stands nowhere but in links of ours.
  const linked = html.replaceAll('<a href="#', () => `<a target="_top" href="${target}`);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A stored page</title><style>${style}</style></head><body>${linked}</body></html>`;
}
