import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseRobots, robotsLimitBytes } from '../../../src/fetch/robots/parse.ts';
import { canonicalPath, canonicalPattern, matches } from '../../../src/fetch/robots/pattern.ts';
import { isAllowed } from './is-allowed.ts';

const origin = 'https://example.com';

/** A bound that only a blow-up misses, in time of the processor: how busy the machine is besides does not count. */
const soonMs = 5_000;

function allowsSoon(text: string | Uint8Array, path: string): boolean {
  const before = process.cpuUsage();
  const allowed = isAllowed(parseRobots(text, 'heronry'), new URL(path, origin));
  const { user, system } = process.cpuUsage(before);
  assert.ok((user + system) / 1_000 < soonMs);
  return allowed;
}

describe('a hostile robots.txt', () => {
  test('is read up to 500 KiB, and to the end of a line', () => {
    const head = 'user-agent: *\ndisallow: /a\n';
    const filler = `${'#'.repeat(63)}\n`;
    const upTo = (octets: number) => head + filler.repeat(robotsLimitBytes / 64).slice(0, octets - head.length);
    const atLimit = `${upTo(robotsLimitBytes - 14)}\ndisallow: /bcd`;
    assert.equal(atLimit.length, robotsLimitBytes + 1);

    assert.equal(allowsSoon(atLimit, '/bcd'), true, 'cut in the middle of the last line');
    assert.equal(allowsSoon(atLimit, '/a'), false);
    assert.equal(
      allowsSoon(`${upTo(robotsLimitBytes - 15)}\ndisallow: /bcd\nallow: /a`, '/bcd'),
      false,
      'line just fits',
    );
    assert.equal(allowsSoon(`${upTo(robotsLimitBytes)}\nallow: /a`, '/a'), false);
    assert.deepEqual(parseRobots(atLimit, 'x').limitsMet, ['size']);
    assert.deepEqual(parseRobots(upTo(robotsLimitBytes), 'x').limitsMet, []);
  });

  test('of 50 MB, in one line or in many, is read no further', () => {
    assert.equal(allowsSoon(Buffer.alloc(50_000_000, 'disallow: /'), '/a'), true);
    assert.equal(allowsSoon(Buffer.alloc(50_000_000, 'user-agent: *\ndisallow: /a\n'), '/a'), false);
    assert.equal(allowsSoon(Buffer.alloc(50_000_000, '\n'), '/a'), true);
  });

  test('of a million stars takes no time', () => {
    const stars = '*'.repeat(500_000);
    assert.equal(allowsSoon(`user-agent: *\ndisallow: /${stars}b`, `/${'a'.repeat(8_000)}`), true);
    assert.equal(allowsSoon(`user-agent: *\ndisallow: /${stars}`, '/a'), false);
    assert.equal(matches(canonicalPattern(`/${'*'.repeat(1_000_000)}$`), '/a'), true);
  });

  test('of patterns that make a matcher go back takes no time', () => {
    const path = `/${'a'.repeat(8_000)}`;
    const pairs = `disallow: /${'*a'.repeat(4_000)}*b$\n`;
    assert.equal(allowsSoon(`user-agent: *\n${pairs.repeat(60)}`, path), true);
    const lines = Array.from({ length: 120 }, (_, at) => `disallow: /*${'a'.repeat(3_900 + at)}b*c\n`).join('');
    assert.equal(allowsSoon(`user-agent: *\n${lines}`, path), true);
    const short = Array.from({ length: 20_000 }, (_, at) => `disallow: *b${at.toString(36)}$\n`).join('');
    assert.equal(allowsSoon(`user-agent: *\n${short}`, path), true);
  });

  test('of blanks takes no time', () => {
    const blanks = ' \t'.repeat(240_000);
    assert.equal(allowsSoon(`user-agent: *\ndisallow:${blanks}/a`, '/a'), false);
    assert.equal(allowsSoon(`user-agent: *\ndisallow: /a${blanks}b`, '/a'), true);
  });

  test('of 10,000 groups is merged', () => {
    const groups = Array.from({ length: 10_000 }, (_, at) => `user-agent: heronry\ndisallow: /${at}\n`).join('');
    assert.equal(allowsSoon(groups, '/9999'), false);
    const others = Array.from({ length: 10_000 }, (_, at) => `user-agent: b${'x'.repeat(at % 9)}\ndisallow: /\n`).join(
      '',
    );
    assert.equal(allowsSoon(others, '/a'), true);
    const agents = 'user-agent: b\n'.repeat(30_000);
    assert.equal(allowsSoon(`${agents}user-agent: heronry\ndisallow: /a`, '/a'), false);
  });

  test('of any octets is read without an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.webPath(), (bytes, path) => {
        assert.equal(typeof isAllowed(parseRobots(bytes, 'x'), new URL(origin + path)), 'boolean');
      }),
    );
  });
});

/** Units of paths and patterns, as a site may spell them. */
const pathUnit = fc.constantFrom('a', 'b', '/', '?', '=', 'é', ':', '%61', '%2F', '%2f', '%3F', '%2A', '%24', '%C3%A9');
const patternUnit = fc.oneof({ weight: 3, arbitrary: pathUnit }, { weight: 2, arbitrary: fc.constantFrom('*', '$') });
const path = fc.array(pathUnit, { maxLength: 12 }).map((units) => `/${units.join('')}`);
const pattern = fc.array(patternUnit, { maxLength: 8 }).map((units) => `/${units.join('')}`);

/** One unit per octet: bare delimiters as they are, everything else percent-encoded. */
function octets(text: string): string[] {
  let inQuery = false;
  return Array.from(text.matchAll(/%[0-9a-f]{2}|[^]/giu), ([unit]) => {
    if (unit === '*' || unit === '$') return [unit];
    const delimits = inQuery ? unit === '=' : '/?='.includes(unit);
    const inQueryAlready = inQuery;
    if (unit === '?') inQuery = true;
    if (delimits) return [unit];
    const encoded = unit.length === 3 ? unit.toUpperCase() : Array.from(Buffer.from(unit), hex).join('');
    // In the query, `/` and `?` are the same encoded or bare; a bare one is what a pattern may match without knowing where.
    if (inQueryAlready && (encoded === '%2F' || encoded === '%3F')) return [encoded === '%2F' ? '/' : '?'];
    return encoded.match(/%../g) ?? [];
  }).flat();
}

function hex(octet: number): string {
  return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** As RFC 9309 tells it, with no thought of time. */
function naiveMatch([first, ...rest]: readonly string[], text: readonly string[]): boolean {
  if (first === undefined) return true;
  if (first === '$' && rest.length === 0) return text.length === 0;
  if (first === '*') return naiveMatch(rest, text) || (text.length > 0 && naiveMatch([first, ...rest], text.slice(1)));
  return text[0] === (first === '$' ? '%24' : first) && naiveMatch(rest, text.slice(1));
}

describe('robots.txt, whatever it says,', () => {
  test('is matched as a naive matcher would', () => {
    fc.assert(
      fc.property(pattern, path, (written, asked) => {
        const url = new URL(origin + asked);
        const found = matches(canonicalPattern(Buffer.from(written).toString('latin1')), canonicalPath(url));
        assert.equal(found, naiveMatch(octets(written), octets(`${url.pathname}${url.search}`)));
      }),
      { numRuns: 5_000 },
    );
  });

  test('finds long parts as a naive matcher would', () => {
    const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 17, maxLength });
    fc.assert(
      fc.property(letters(20), letters(200), fc.option(fc.nat(150)), (part, text, at) => {
        const sought = at === null ? part : text.slice(at, at + 20);
        assert.equal(matches(canonicalPattern(`/*${sought}`), `/${text}`), text.includes(sought));
      }),
      { numRuns: 2_000 },
    );
  });

  const rule = fc.tuple(fc.constantFrom('Allow', 'Disallow'), pattern).map(([kind, value]) => `${kind}: ${value}\n`);
  const rules = fc.array(rule, { maxLength: 6 }).map((lines) => lines.join(''));
  const bot = fc.constantFrom('*', 'Heronry', 'HERONRY/3', 'other');
  const group = fc.tuple(bot, rules).map(([name, lines]) => `User-agent: ${name}\nDisallow:\n${lines}`);
  const groups = fc.array(group, { maxLength: 4 });

  test('is changed by no group for another bot', () => {
    fc.assert(
      fc.property(groups, rules, fc.nat(4), (said, others, at) => {
        const more = said.toSpliced(at, 0, `User-agent: another\nDisallow:\n${others}`);
        assert.deepEqual(parseRobots(more.join('\n'), 'heronry').rules, parseRobots(said.join('\n'), 'heronry').rules);
      }),
    );
  });

  test('decides the same in whatever order its groups and their lines come', () => {
    fc.assert(
      fc.property(groups, path, (said, asked) => {
        const allowed = (texts: readonly string[]) =>
          isAllowed(parseRobots(texts.join('\n'), 'heronry'), new URL(origin + asked));
        assert.equal(allowed(said.toReversed()), allowed(said));
      }),
    );
  });

  test('allows more, never less, by one more Allow', () => {
    fc.assert(
      fc.property(rules, pattern, path, (said, more, asked) => {
        const text = `User-agent: *\n${said}`;
        const url = new URL(origin + asked);
        if (!isAllowed(parseRobots(text, 'x'), url)) return;
        assert.ok(isAllowed(parseRobots(`${text}Allow: ${more}`, 'x'), url));
      }),
    );
  });
});
