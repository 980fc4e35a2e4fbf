import type { Escape } from '../expression/template.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** How the text of a site is written for readers that know markup, so that it makes no mention, link or tag there. */
export const escapes = {
  /** The three characters that Slack's manual names: `<!channel>` and `<https://…|text>` begin with one. */
  slack: (text) => text.replaceAll(/[&<>]/g, entityOf),
  /** Mentions and emojis begin with `<`, links behind a text with `[`. */
  discord: (text) => text.replaceAll(/[\\[<]/g, '\\$&'),
  /** For text and for attributes in double quotes. */
  html: (text) => text.replaceAll(/[&<>"]/g, entityOf),
  none: (text) => text,
} as const satisfies Readonly<Record<string, Escape>>;

/** The name of an escape. */
export type EscapeName = keyof typeof escapes;

/** The names of all escapes. */
export const escapeNames = Object.keys(escapes) as readonly EscapeName[];

/** The escape that the host of an address asks for. */
export function escapeFor(address: string): EscapeName {
  const { hostname = '' } = URL.parse(address) ?? {};
  if (/(?:^|\.)slack(?:-gov)?\.com$/.test(hostname)) return 'slack';
  return /(?:^|\.)discord(?:app)?\.com$/.test(hostname) ? 'discord' : 'none';
}

function entityOf(char: string): string {
  return entities[char] ?? char;
}
