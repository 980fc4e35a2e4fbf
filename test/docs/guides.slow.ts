import { test } from 'node:test';
import { pages } from './fences.ts';
import { runPage } from './run-page.ts';

for (const page of pages.filter((each) => each.startsWith('docs/guide/')))
  test(`every block of ${page} does what it shows`, { timeout: 300_000 }, (t) => runPage(t, page));
