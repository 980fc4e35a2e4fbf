import { decodeBody } from '../extract/decode.ts';
import { longLength } from '../extract/value/plain-text.ts';
import type { Draft, DraftPage } from './draft.ts';

/** Where the text of a page stands, the most telling place first. */
const places = ['main', '[role=main]', 'article', 'body'];

/** Drafts a definition that watches the text of a whole page: of HTML as Markdown, of anything else as it stands. */
export function pageTextDraft({ body, contentType }: DraftPage): Draft {
  const isHtml = /^\s*<(?!\?xml|rss\b|feed\b)/i.test(decodeBody(body, contentType).replace(/^\ufeff/, ''));
  const filters = ['lines', { cut: longLength }];
  const text = isHtml ? { any: places, take: 'markdown', filters } : { json: '$.text', filters };
  return {
    provider: isHtml ? 'html' : 'text',
    record: {
      type: 'page',
      key: 'url',
      otherKeys: [],
      fields: { url: { page: 'url' }, ...(isHtml && { title: { css: 'title' } }), text },
      isWhole: false,
      found: isHtml ? 'the text of the page, as Markdown' : 'the text of the page',
    },
    found: [isHtml ? 'the text of the page, as Markdown' : 'the text of the page'],
    hints: [
      ...(isHtml ? ['What changes all the time: `ignore: [".ad", "#visitors"]` takes elements out,'] : []),
      `${isHtml ? 'and' : 'What changes all the time:'} \`{ lines: { drop: "^Visitors:" } }\` in place of \`lines\` leaves lines out.`,
    ],
  };
}
