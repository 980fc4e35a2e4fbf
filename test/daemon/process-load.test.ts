import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { anonymousBytes, measureProcess } from '../../src/daemon/process-load.ts';

describe('the load of a process', () => {
  test('has its anonymous memory, without the files that are mapped into it', () => {
    const status = 'Name:\tnode\nVmRSS:\t  900000 kB\nRssAnon:\t  120000 kB\nRssFile:\t  780000 kB\n';
    assert.equal(anonymousBytes(status), 120_000 * 1_024);
    assert.equal(anonymousBytes('Name:\tnode\n'), undefined);
    assert.equal(anonymousBytes(undefined), undefined);
    const load = measureProcess();
    const bytes = load.memoryBytes();
    load.close();
    assert.ok(bytes > 0 && bytes <= process.memoryUsage.rss());
  });

  test('tells how late the loop is to what is due', async () => {
    const load = measureProcess();
    // One sample sets the beginning, the next one is late.
    await delay(120);
    const until = performance.now() + 300;
    while (performance.now() < until);
    await delay(60);
    const lateMs = load.loopDelayMs();
    load.close();
    assert.ok(lateMs >= 200, `${lateMs} ms`);
  });
});
