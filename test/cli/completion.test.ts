import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { completesBy } from './completes-by.ts';
import { run } from './terminal.ts';

describe('completion', () => {
  for (const shell of ['bash', 'fish'] as const) completesBy(shell);

  for (const shell of ['zsh', 'fish']) {
    test(`that of ${shell} names every command and quotes what it says of them`, async () => {
      const { out } = await run(['completion', shell]);
      for (const command of ['start', 'rescrape', 'run', 'crawls', 'try', 'fixture', 'test', 'completion'])
        assert.match(out, new RegExp(`\\b${command}\\b`));
      assert.match(out, /source'\\''s/);
    });
  }
});
