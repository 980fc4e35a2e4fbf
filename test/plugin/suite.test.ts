import { join } from 'node:path';
import { providerSuite } from '../../src/plugin/suite.ts';

const folder = join(import.meta.dirname, '../fixtures/plugins');
const json = { 'content-type': 'application/json' };

providerSuite(join(folder, 'register.ts'), {
  options: { board: 'west' },
  badOptions: [{}, { board: 1 }],
  url: 'https://register.test/topic/sleep',
  params: { topic: 'sleep' },
  fixtures: [
    {
      page: {
        url: 'https://register.test/api/west/sleep?limit=20',
        headers: json,
        text: '{"entries":[{"id":"T2","title":"Naps","recruited":40},{"id":"T1","title":null}],"after":"T1"}',
      },
      expected: {
        drafts: [
          { type: 'trial', key: 'T2', fields: { title: 'Naps', recruited: 40 } },
          { type: 'trial', key: 'T1', fields: { title: null } },
        ],
        next: 'T1',
      },
    },
    {
      page: {
        url: 'https://register.test/api/west/sleep?after=T1',
        headers: json,
        text: '{"entries":[],"closed":true}',
      },
      expected: { drafts: [], finished: true },
    },
  ],
});

providerSuite(join(folder, 'cards.js'), {
  fixtures: [
    {
      page: {
        url: 'https://shop.test/new?page=1',
        text: '<div class=card id=a><h2>Lamp</h2><b class=price>€5</b></div><div class=card id=b><h2>Chair</h2></div><a rel=next href="?page=2">more</a>',
      },
      expected: {
        drafts: [
          { type: 'card', key: 'a', fields: { title: 'Lamp', price: '€5' } },
          { type: 'card', key: 'b', fields: { title: 'Chair', price: null } },
        ],
        next: 'https://shop.test/new?page=2',
      },
    },
    { page: { url: 'https://shop.test/new?page=2', text: '<p>nothing' }, expected: { drafts: [] } },
  ],
});

providerSuite(join(folder, 'collect-only.ts'), {
  runs: [
    {
      args: ['2024', 'b'],
      answers: [],
      expected: [
        { type: 'argument', key: '0', fields: { arg: '2024' } },
        { type: 'argument', key: '1', fields: { arg: 'b' } },
      ],
    },
  ],
});
