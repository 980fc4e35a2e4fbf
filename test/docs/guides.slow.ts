import { test } from 'node:test';
import { runnablePages } from './fences.ts';
import { runPage } from './run-page.ts';

for (const page of runnablePages)
  test(`every block of ${page} does what it shows`, { timeout: 300_000 }, (t) => runPage(t, page));
