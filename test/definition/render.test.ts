import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';
import type { Source } from '../../src/definition/source.ts';
import { renderingOf } from '../../src/scrape/rendering.ts';

function parse(render: string) {
  const record = 'records: { item: { key: id, fields: { id: h1 } } }';
  return parseSource(`id: site\nurl: "https://site.test/#{query}"\nrender: ${render}\n${record}\n`, 'site.yaml');
}

function sourceOf(render: string): Source {
  const parsed = parse(render);
  assert.ok(parsed.ok);
  return parsed.value;
}

describe('how pages are rendered', () => {
  test('is the browser without actions in the short form', () => {
    assert.deepEqual(sourceOf('browser').render, { in: 'browser', do: [] });
    assert.equal(sourceOf('http').render, 'http');
  });

  test('is told in order, with parameters in what is typed and with what is left out', () => {
    const source = sourceOf(
      '{ in: browser, do: [{ wait: 2s }, { type: "{query}\\n", into: "#q" }, { wait: .quote, within: 20s }, { click: .more, times: 5, optional: true }, { scroll: end }] }',
    );
    const usual = { withinMs: 10_000, optional: false };
    assert.deepEqual(renderingOf(source, 'https://site.test/#old%20owls'), {
      render: {
        actions: [
          { ...usual, number: 1, name: 'wait 2s', kind: 'pause', ms: 2_000 },
          { ...usual, number: 2, name: 'type into #q', kind: 'type', css: '#q', text: 'old owls\n' },
          { ...usual, number: 3, name: 'wait .quote', kind: 'wait', css: '.quote', withinMs: 20_000 },
          { ...usual, number: 4, name: 'click .more', kind: 'click', css: '.more', times: 5, optional: true },
          { ...usual, number: 5, name: 'scroll end', kind: 'scroll', times: 20 },
        ],
      },
    });
    assert.partialDeepStrictEqual(renderingOf(source, 'https://site.test/else'), { code: 'action_failed' });
  });

  const refused: readonly (readonly [render: string, problem: RegExp])[] = [
    ['chrome', /^render: expected one of http, browser, got "chrome"/],
    ['{ in: browser, do: [{ wait: 2m }] }', /^render\.do\[0\]\.wait: expected a duration of 60s at most, got "2m"/],
    ['{ in: browser, do: [{ wait: 5 }] }', /^render\.do\[0\]\.wait: expected text, got 5/],
    [
      '{ in: browser, do: [{ wait: "p[" }] }',
      /^render\.do\[0\]\.wait: expected a CSS selector, or a time like "2s", got "p\["/,
    ],
    ['{ in: browser, do: [{ wait: p, click: b }] }', /^render\.do\[0\]: expected one of .*, got wait and click/],
    ['{ in: browser, do: [{ optional: true }] }', /^render\.do\[0\]: expected one of .*, got none/],
    ['{ in: browser, do: [{ wait: p, times: 2 }] }', /times: expected it beside "scroll" or "click" only/],
    ['{ in: browser, do: [{ type: x }] }', /^render\.do\[0\]\.into: missing, expected a selector/],
    ['{ in: browser, do: [{ type: "{name}", into: p }] }', /type: expected only placeholders .*, got "\{name\}"/],
    [
      '{ in: browser, do: [{ type: { secret: KEY }, into: p }] }',
      /type: expected a text; a secret is never typed here/,
    ],
    ['{ in: browser, do: [{ clik: p }] }', /did you mean "click"/],
    ['{ in: browser, wait: p }', /^render\.wait: unknown key "wait", expected one of in, do$/m],
  ];
  for (const [render, problem] of refused)
    test(`is refused as ${render}`, () => {
      const parsed = parse(render);
      const problems = parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`);
      assert.match(problems.join('\n'), problem);
    });
});
