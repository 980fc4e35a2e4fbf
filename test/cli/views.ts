import type { ProjectView } from '../../src/control/methods/project.ts';
import type { RecordView } from '../../src/view/record.ts';
import type { ScrapeOfProjects } from '../../src/control/methods/scrape.ts';
import type { StepView } from '../../src/view/scrape.ts';

/** The instant at which tests of the command line look. */
export const now = 1_000_000_000;

export const scrape: ScrapeOfProjects = {
  scrape: 41,
  target: 7,
  projects: ['solar'],
  source: 'crowd',
  reason: 'due',
  version: 'abc',
  status: 'complete',
  startedAt: now - 180_000,
  endedAt: now - 178_800,
  steps: 1,
  bytes: 5_120,
  counts: { added: 0, changed: 1, confirmed: 4 },
};

export const step: StepView = {
  step: 1,
  url: 'http://127.0.0.1/solar',
  at: now - 180_000,
  elapsedMs: 12.4,
  bytes: 5_120,
  status: 200,
  counts: { added: 0, changed: 1, confirmed: 4 },
  absent: [],
  unparsed: [],
};

export const project: ProjectView = {
  id: 'solar',
  name: 'Solar Backpack',
  labels: ['spring'],
  multiplier: 1,
  status: 'active',
  createdAt: now - 86_400_000,
  targets: [
    {
      target: 7,
      source: 'crowd',
      url: 'http://127.0.0.1/solar',
      status: 'active',
      conditions: [],
      dueAt: now + 7_200_000,
      lastScrape: scrape,
      crashes: { total: 0, inRow: 0 },
    },
    {
      target: 8,
      source: 'ads',
      url: 'http://127.0.0.1/ads/solar',
      status: 'parked',
      conditions: ['definition_error'],
      lastError: { code: 'timeout', message: 'no headers in 30 s' },
      crashes: { total: 4, inRow: 4, last: 'TypeError: x is not a function' },
      parked: { at: now - 60_000, reason: '4 crashes in a row', retryAt: now + 60_000, times: 1 },
    },
  ],
};

export const record: RecordView = {
  source: 'crowd',
  type: 'campaign',
  key: 'solar',
  target: 7,
  id: 'r7',
  url: 'http://127.0.0.1/solar',
  record: 7,
  firstSeenAt: now - 86_400_000,
  updatedAt: now,
  sequence: 41,
  lastScrape: 41,
  fields: {
    pledged: { value: { amount: '1234.50', currency: 'EUR' }, observedAt: now - 180_000, verifiedAt: now - 180_000 },
    title: { value: 'Solar\u001B[31m Backpack\n2', observedAt: now - 86_400_000, verifiedAt: now - 180_000 },
    tags: { value: ['sun', 'bag'], observedAt: now, verifiedAt: now },
    ends: { value: null, observedAt: now, verifiedAt: now },
  },
};
