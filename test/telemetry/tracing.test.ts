import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { parseSource } from '../../src/definition/load.ts';
import { openTracing } from '../../src/telemetry/tracing.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { attributesOf, openCollector, type Span } from './collector.ts';

const run = promisify(execFile);

/** Opens traces that go to a collector, and notes what is warned of. */
async function traced(endpoint: string) {
  const warned: string[] = [];
  const tracing = await openTracing({
    endpoint,
    clock: systemClock(),
    version: '1.2.3',
    warn: (what) => warned.push(what),
  });
  return { ...tracing, warned };
}

function durationOf({ startTimeUnixNano, endTimeUnixNano }: Span): bigint {
  return endTimeUnixNano - startTimeUnixNano;
}

describe('the trace of a scrape', () => {
  test('has a span of the scrape, and one of each of its parts, without secrets', async (t) => {
    const collector = await openCollector(t);
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': { status: 500, body: 'pa55word' } });
    const { observer, close, warned } = await traced(collector.endpoint);
    const source = productSource('shop', 'request: { headers: { x-key: pa55word } }');
    const served = await startDaemon(t, { sources: { shop: source }, observers: [observer] });
    const add = (id: string, path: string) =>
      served.client.call('project.add', { id, targets: [{ source: 'shop', url: `${site.url(path)}?key=pa55word` }] });
    await add('good', '/a');
    const good = await served.event(({ type }) => type === 'scrape.completed');
    await add('bad', '/b');
    await served.event(({ type }) => type === 'scrape.failed');
    await served.close();
    await close();

    const spans = collector.spans();
    assert.deepEqual(warned, []);
    assert.ok(collector.bodies.every((body) => !body.includes('pa55word')));
    const roots = spans.filter(({ name }) => name === 'scrape');
    assert.equal(roots.length, 2);
    const [root] = roots.filter((span) => attributesOf(span)['heronry.outcome'] === 'complete');
    assert.ok(root);
    assert.deepEqual(attributesOf(root), {
      'heronry.scrape': String('scrape' in good ? good.scrape : ''),
      'heronry.target': '1',
      'heronry.source': 'shop',
      'heronry.reason': 'due',
      'heronry.outcome': 'complete',
    });
    const parts = spans.filter(({ parentSpanId }) => parentSpanId === root.spanId);
    assert.deepEqual(
      parts.map(({ name }) => name),
      ['wait for turn', 'request', 'extraction', 'commit'],
    );
    for (const each of parts) {
      assert.equal(each.traceId, root.traceId);
      assert.ok(each.startTimeUnixNano >= root.startTimeUnixNano && each.endTimeUnixNano <= root.endTimeUnixNano);
      assert.ok(durationOf(each) >= 0n);
    }
    const [, request] = parts;
    assert.deepEqual(request && attributesOf(request), {
      'url.full': site.url('/a'),
      'heronry.outcome': 'read',
      'http.response.body.size': String(productPage('A', '1').length),
      'http.response.status_code': '200',
    });
    const [failed] = spans.filter((span) => attributesOf(span)['error.type'] === 'status');
    assert.deepEqual([failed?.name, failed?.status.code], ['request', 2]);
    assert.match(collector.bodies[0] ?? '', /"service\.name","value":\{"stringValue":"heronry"\}/);
  });
});

const loaded = parseSource(productSource('shop'), 'shop.yaml');
assert.ok(loaded.ok);
const about = { target: 1, source: loaded.value, dueAt: 1_000, startedAt: 2_000, isManual: false };

describe('a collector', () => {
  test('that is down fails no scrape, and holds up the end of the daemon for a while only', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { observer, close } = await traced('http://127.0.0.1:9/');
    const served = await startDaemon(t, { sources: { shop: productSource('shop') }, observers: [observer] });
    await served.client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    await served.event(({ type }) => type === 'scrape.completed');
    const began = performance.now();
    await close();
    assert.ok(performance.now() - began < 10_000);
  });

  test('that refuses what it is sent is warned of once', async (t) => {
    const refusing = await openSite(t, { '/v1/traces': { status: 400 } });
    const { observer, close, warned } = await traced(refusing.origin);
    for (let scrape = 1; scrape <= 600; scrape += 1) observer.begun({ ...about, scrape }).ended('complete');
    await close();
    assert.equal(refusing.asked.length, 2);
    assert.equal(warned.length, 1);
    assert.match(warned[0] ?? '', /^tracing: http:\S+\/v1\/traces takes no spans: ./);
  });

  test('that does not answer makes the daemon keep so many spans, and drop what comes beside', async (t) => {
    const { promise: answers, resolve: answer } = Promise.withResolvers<void>();
    const collector = await openCollector(t, answers);
    const { observer, close } = await traced(collector.endpoint);
    for (let scrape = 1; scrape <= 10_000; scrape += 1) observer.begun({ ...about, scrape }).ended('complete');
    answer();
    await close();
    const { length } = collector.spans();
    assert.ok(length >= 512 && length <= 2_048 + 512, `${length} spans`);
  });
});

/** Runs a daemon in a process of its own, and returns what that says of the packages of traces. */
async function packagesOf(mode: string) {
  const program = join(import.meta.dirname, 'tracing-program.ts');
  return run(process.execPath, [program, mode]);
}

describe('the packages of traces', () => {
  test('are not loaded by a daemon that traces nothing', async () => {
    assert.equal((await packagesOf('off')).stdout, 'loaded: \n');
  });

  test('are asked for by name where one lacks, and the daemon does not start', async () => {
    const { stdout, stderr } = await packagesOf('lacking');
    assert.equal(stdout, 'status: 1\n');
    assert.equal(
      stderr,
      'heronry: tracing: @opentelemetry/sdk-trace is not installed: npm install @opentelemetry/sdk-trace\n',
    );
  });
});
