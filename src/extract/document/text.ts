import { JsonSpot } from '../rule/spot.ts';
import type { DocumentKind } from './kind.ts';

/** A plain text. */
export const text: DocumentKind = {
  title: 'a text',
  view: 'json',
  media: { called: /^text\/(?!html$)/, miscalled: /^application\//, begins: /^/, otherwise: 'no text' },
  marks: () => ['\n', '\r'],
  steps: { byte: 2, mark: 20 },
  open: (written) => ({
    ok: true,
    root: new JsonSpot({ text: written, lines: written.replace(/\r?\n$/, '').split(/\r\n|\n|\r/) }),
  }),
  docs: {
    readAs: '`$.text`, the whole text, and `$.lines`, a list of its lines: `each: "$.lines[*]"` makes a record of each',
    places: 'JSON paths into the text or the line; `$` is the line itself',
  },
};
