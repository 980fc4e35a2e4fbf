import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compile, selectOne } from 'css-select';
import type { AnyNode, Element } from 'domhandler';
import { parseDocument } from 'htmlparser2';
import { listPage, productFields, productPage } from '../../bench/pages.ts';
import { inlineBytes, InlineReader, readInline } from '../../src/engine/inline.ts';
import type { ExtractPlan } from '../../src/extract/plan.ts';
import type { RecordPlan } from '../../src/extract/rule/plan.ts';
import type { Page } from '../../src/fetch/page.ts';
import type { Reading } from '../../src/provider/provider.ts';
import { bodyOf, fieldOf, keyed, planFor } from '../extract/plan.ts';

function pageOf(html: string, contentType = 'text/html; charset=utf-8'): Page {
  const body = bodyOf(html);
  const bytes = body.byteLength;
  return {
    url: 'http://site.test/',
    status: 200,
    headers: { 'content-type': contentType },
    body,
    observedAt: 0,
    elapsedMs: 0,
    encodedBytes: bytes,
  };
}

function readingOf(plan: ExtractPlan): Reading {
  return { source: 'shop', plan, limitMs: 1_000 };
}

function planWith(field: object, rest: Partial<RecordPlan> = {}, more: Partial<ExtractPlan> = {}): ExtractPlan {
  return planFor([keyed({ field }, rest)], more);
}

/** A reader on a clock that stands still, so that time is never too short. */
function readerAt(clock: { ms: number } = { ms: 0 }, share = 0.5): InlineReader {
  return new InlineReader({ monotonic: () => clock.ms }, share);
}

async function isInline(plan: ExtractPlan, html = '<p class=key>a</p>', contentType?: string): Promise<boolean> {
  const page = pageOf(html, contentType);
  const outcome = await readerAt().read(page, readingOf(plan));
  assert.equal(page.body.detached, false);
  return outcome !== undefined;
}

const eight = planFor([keyed({ ...productFields, key: { const: 'a' } })]);

describe('a page is read on the main thread', () => {
  for (const kilobytes of [5, 50]) {
    test(`when it is a usual one of ${kilobytes} kB with eight fields`, async () => {
      for (let id = 0; id < 20; id += 1) {
        const { html, fields } = productPage(id, kilobytes);
        const outcome = await readerAt().read(pageOf(html), readingOf(eight));
        assert.ok(outcome?.ok);
        assert.equal(outcome.extraction.drafts[0]?.fields['sku'], fields.sku);
      }
    });
  }

  test('when it is a list of some hundred cards', async () => {
    const cards = planFor([keyed({ key: { css: 'a', attr: 'href' }, title: { css: 'b' } }, { each: css('li.card') })]);
    const links = Array.from({ length: 100 }, (_, index) => `/p/${index}`);
    const outcome = await readerAt().read(pageOf(listPage(links, '/list/2')), readingOf(cards));
    assert.ok(outcome?.ok);
    assert.equal(outcome.extraction.drafts.length, 100);
  });

  test('up to its limit of bytes, and no larger', async () => {
    assert.ok(await isInline(planWith({}), 'x'.repeat(inlineBytes)));
    assert.ok(!(await isInline(planWith({}), 'x'.repeat(inlineBytes + 1))));
  });

  for (const [name, field] of [
    ['a pseudo-class', { css: 'p:has(b):nth-child(2)' }],
    ['later siblings', { css: 'p ~ b' }],
    ['a pattern', { css: 'p', filters: [{ regex: '(\\d+)' }] }],
    ['objects', { css: 'p', type: 'object', fields: { a: 'b' } }],
    ['a meta tag', { meta: 'og:title' }],
    ['XPath', { xpath: '//a[//b]' }],
  ] as const) {
    test(`by ${name}, whose work is counted as well`, async () => {
      assert.ok(await isInline(planWith(field)));
    });
  }

  for (const [name, field, document] of [
    ['a filter of a path', { json: '$.list[?@.a==1]' }, 'json'],
    ['JSON within markup', { json: '$.name', in: 'ld+json' }, 'html'],
  ] as const) {
    test(`never by ${name}, whose work is not counted`, async () => {
      assert.ok(!(await isInline(planWith(field, {}, { document }))));
    });
  }

  test('by a path that looks at any depth, but not by one that finds the same ever again', async () => {
    const body = `{"key": "a", "list": ${'['.repeat(50)}{"name": 1}${']'.repeat(50)}}`;
    const by = (json: string) => {
      const fields = [fieldOf('key', '$.key'), fieldOf('field', { json, type: 'array', of: { type: 'json' } })];
      return isInline(
        planFor([{ type: 'thing', key: ['key'], fields }], { document: 'json' }),
        body,
        'application/json',
      );
    };
    assert.ok(await by('$..name'));
    assert.ok(!(await by(`$.list${'[0,0]'.repeat(50)}`)));
  });

  test("never with the browser's tree, nor in a trial", async () => {
    assert.ok(!(await isInline(planWith({}, {}, { tree: 'browser' }))));
    const trial = { ...readingOf(planWith({})), explain: {} };
    assert.equal(await readerAt().read(pageOf('<p class=key>a'), trial), undefined);
  });

  test('unless one as small was too much work for its plan, until the plan changes', async () => {
    const reader = readerAt();
    const plan = planWith({ css: '.a .b .c' });
    const fine = (bytes: number): string => `<p class=key>a</p>${' '.repeat(bytes)}`;
    assert.equal(await reader.read(pageOf('<b class=c>'.repeat(2_000)), readingOf(plan)), undefined);
    assert.equal(await reader.read(pageOf(fine(30_000)), readingOf(plan)), undefined);
    assert.ok((await reader.read(pageOf(fine(10_000)), readingOf(plan)))?.ok);
    assert.ok((await reader.read(pageOf(fine(30_000)), readingOf({ ...plan })))?.ok);
  });
});

test('reading takes no more than its share of the main thread, and has it again later', async () => {
  const clock = { ms: 0 };
  // Each page takes 5 ms of this clock, which is looked at before and behind it.
  let looks = 0;
  const monotonic = (): number => (looks++ % 3 === 2 ? (clock.ms += 5) : clock.ms);
  const reader = new InlineReader({ monotonic }, 0.25);
  let inline = 0;
  for (let page = 0; page < 1_000; page += 1) {
    const outcome = await reader.read(pageOf('<p class=key>a</p>'), readingOf(planWith({})));
    if (outcome === undefined) {
      looks = 0;
      clock.ms += 1;
    } else inline += 1;
  }
  const share = (inline * 5) / clock.ms;
  assert.ok(share > 0.23 && share < 0.28, `${share}`);
});

const kilobytes60 = 60_000;

function filled(unit: string, bytes = kilobytes60): string {
  return unit.repeat(Math.floor(bytes / unit.length));
}

function nested(open: string, depth: number, inner: string): string {
  return `${open.repeat(depth)}${inner}`;
}

/** Pages that are made to take long by what they are parsed as. */
const hostilePages: Readonly<Record<string, string>> = {
  'empty elements': filled('<br>', 25_000),
  'paragraphs that close each other': filled('<p>', 18_000),
  'end tags without a start': `${'<ba>'.repeat(120)}${filled('</bb>', 20_000)}`,
  'nested elements': filled('<div>'),
  'deep elements': nested('<i class=a>', 120, filled('<b class="a"></b>', 12_000)),
  attributes: `<b ${Array.from({ length: 10_000 }, (_, index) => index.toString(36)).join(' ')}>`,
  'long classes': nested(`<i class="${filled('q ', 6_000)}">`, 8, filled('<b class=a></b>', 10_000)),
  'a long text': `<b class=a>${filled('a ')}`,
  'a deep text': nested('<i class=a>', 120, filled('a ', 50_000)),
  numbers: filled(`<b class=a>${'1 '.repeat(90)}</b>`),
  'foreign elements': filled('<svg/>', 25_000),
  comments: `<b class=z></b>${filled('<!---->', 10_000)}${filled('<b class=a></b>', 20_000)}`,
  entities: filled('&notit;&'),
  links: Array.from({ length: 3_000 }, (_, index) => `<a class=a href=${index}></a>`).join(''),
  images: `<img class=a srcset="${Array.from({ length: 10_000 }, (_, index) => `${index.toString(36)} 2x`).join(',')}">`,
  names: filled('<meta name=a content=b>', 30_000),
};

const texts = { type: 'array', of: { type: 'text' } };

/** Plans that are made to take long on them, each with twenty fields. */
const hostileRules: Readonly<Record<string, object>> = {
  'a chain of descendants': { css: '.z .a .a .a .a' },
  'a descendant': { css: '.z .a' },
  'pseudo-classes': { css: '.a:has(.a:has(.z))' },
  'later siblings': { css: 'b ~ b ~ .z' },
  'an earlier sibling': { css: '.z + .a .a' },
  'a place among siblings': { css: 'b:nth-last-child(9999)' },
  'a text within': { css: ':icontains("zzz")' },
  'lists of texts': { css: '.a', ...texts },
  'lists of markup': { css: '.a', take: 'outer', ...texts },
  'lists of spaced texts': { css: '.a', take: 'spaced', ...texts },
  addresses: { css: '.a', attr: 'srcset', ...texts },
  'meta tags': { meta: 'z' },
  'paths from each to each': { xpath: '//b[//*[@class="z"]]' },
  'paths up and down': { xpath: '//*[ancestor::*/descendant::z]' },
  'paths to siblings': { xpath: '//*[preceding-sibling::*[following::z]]', ...texts },
  'comparisons of paths': { xpath: '//*[. = //z or .//@class != //@href]', ...texts },
  'functions of texts': { xpath: 'translate(normalize-space(//*), "abc", "xyz")' },
  'sums of paths': { xpath: 'sum(//*) + count(//node() | //@*)' },
  patterns: { css: '.a', filters: [{ replace: { from: 'a(.*z)?', to: 'x' } }] },
  amounts: { css: '.a', type: 'array', of: { type: 'money' } },
  dates: { css: '.a', type: 'array', of: { type: 'date', formats: ['dd.MM.yyyy', 'd. MMM yy'] } },
};

/** The processor time of a page that is read as a main thread does, in milliseconds; of many readings, as clocks are coarse. */
async function costOf(html: string, plan: ExtractPlan, readings: number): Promise<number> {
  const page = pageOf(html);
  const before = process.threadCpuUsage();
  for (let reading = 0; reading < readings; reading += 1) await readInline(page, readingOf(plan));
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000 / readings;
}

describe('no page takes the main thread longer than some 5 ms on a quiet machine', () => {
  /** What reading a usual page of 50 kB takes by other means than ours: some 0.7 ms there. */
  const usual = productPage(1, 50).html;
  const selectors = Object.values(productFields).map((field) => compile<AnyNode, Element>(field.css));

  function usualMs(readings: number): number {
    const before = process.threadCpuUsage();
    for (let reading = 0; reading < readings; reading += 1) {
      const { children } = parseDocument(usual);
      for (const matches of selectors) assert.ok(selectOne<AnyNode, Element>(matches, children) !== null);
    }
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000 / readings;
  }

  for (const [how, rule] of Object.entries(hostileRules)) {
    test(`by twenty fields of ${how}`, async () => {
      const fields = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field${index}`, rule]));
      const plan = planFor([keyed({ key: { const: 'a' }, ...fields })], { links: {} });
      const reference = usualMs(40);
      for (const [what, html] of Object.entries(hostilePages)) {
        const first = (await costOf(html, plan, 3)) / reference;
        // What was measured over a short time is measured again over a longer one before it counts.
        const usuals = first < 7 ? first : (await costOf(html, plan, 40)) / usualMs(200);
        assert.ok(usuals < 7, `${what}: ${usuals.toFixed(1)} usual pages`);
      }
    });
  }
});

function css(selector: string): NonNullable<RecordPlan['each']> {
  return { by: 'css', css: selector };
}
