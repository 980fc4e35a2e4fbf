import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';
import { definitionVersion, type Source } from '../../src/definition/source.ts';
import { isTold, postsBody } from '../../src/delivery/posts.ts';
import type { Event } from '../../src/event/catalogue.ts';

const records = `records:
  account: { key: handle, fields: { handle: $.handle } }
  post:
    each: $.posts[*]
    key: id
    fields:
      id: $.id
      text: $.text
      author: $.author
      avatar: $.avatar
      at: { json: $.at, type: datetime }
      link: $.link
      photos[]: $.photos[*].src
      extra: { json: $.extra, type: json }
`;

function source(publish: string): string {
  return `id: birds\nprovider: json\nurl: 'https://birds.example/{handle}'\n${records}publish: { posts: ${publish} }\n`;
}

function loaded(publish: string): Source {
  const parsed = parseSource(source(publish), 'birds.yaml');
  return parsed.ok ? parsed.value : assert.fail(JSON.stringify(parsed.problems));
}

const all =
  '{ type: birds.timeline, record: post, id: handle, ephemeral: true, account: { name: author, avatar: avatar }, body: text, url: link, date: at, images: photos, metadata: extra }';

function added(key: string, fields: Readonly<Record<string, unknown>>): Event {
  const changes = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { new: value as never }]));
  const data = { type: 'post', key, fields: changes };
  return { id: 1, version: 1, at: 0, projects: [], source: 'birds', target: 1, type: 'record.added', data };
}

function body(publish: string, events: readonly Event[], more: Partial<Parameters<typeof postsBody>[1]> = {}) {
  const from = loaded(publish);
  return postsBody(events, {
    source: from,
    posts: from.publish?.posts ?? assert.fail(),
    url: 'https://birds.example/robin',
    part: { part: 1, parts: 1 },
    link: undefined,
    pageOf: () => undefined,
    ...more,
  });
}

describe('the body of posts', () => {
  test('says where they are from, whether they are ephemeral, whose they are and what they show, as the link has it official and with metadata [J62, J84]', () => {
    const fields = {
      text: 'First egg!',
      author: 'Robin',
      avatar: 'https://birds.example/r.png',
      at: '2026-03-14T10:30:00+01:00',
      link: 'https://birds.example/robin/1',
      photos: ['https://birds.example/egg.jpg?s=1', 'https://birds.example/nest.mp4'],
      extra: { likes: 3 },
    };
    const link = { official: true, metadata: { artist: 7 } };
    assert.deepEqual(JSON.parse(JSON.stringify(body(all, [added('p1', fields)], { link }))), {
      provider: { type: 'birds.timeline', id: 'robin', ephemeral: true, official: true },
      posts: [
        {
          account: { name: 'Robin', avatar_url: 'https://birds.example/r.png' },
          unique_identifier: 'p1',
          images: [
            {
              type: 'Image',
              media_url: 'https://birds.example/egg.jpg?s=1',
              reference_url: null,
              unique_identifier: 'https://birds.example/egg.jpg?s=1',
            },
            {
              type: 'Video',
              media_url: 'https://birds.example/nest.mp4',
              reference_url: null,
              unique_identifier: 'https://birds.example/nest.mp4',
            },
          ],
          body: 'First egg!',
          url: 'https://birds.example/robin/1',
          post_date: '2026-03-14T09:30:00',
          metadata: { likes: 3 },
        },
      ],
      metadata: { artist: 7 },
    });
  });

  test('leaves metadata out where there is none, and names an account that the site does not [J65]', () => {
    assert.deepEqual(
      JSON.parse(JSON.stringify(body('{ type: birds.timeline, record: post }', [added('p2', { text: 'hi' })]))),
      {
        provider: { type: 'birds.timeline', id: 'https://birds.example/robin', ephemeral: false, official: false },
        posts: [
          {
            account: { name: 'Unknown user', avatar_url: null },
            unique_identifier: 'p2',
            images: [],
            body: null,
            url: null,
            post_date: null,
          },
        ],
        metadata: null,
      },
    );
  });

  test('is numbered where a scrape found more than fits into one', () => {
    const { part, parts } = body(all, [added('p3', {})], { part: { part: 2, parts: 3 } }) as Partial<
      Record<string, unknown>
    >;
    assert.deepEqual([part, parts], [2, 3]);
  });

  test('says how many posts the log no longer had when it was due', () => {
    const { missing, part } = body(all, [added('p3', {})], { part: { part: 1, parts: 1, missing: 2 } }) as Partial<
      Record<string, unknown>
    >;
    assert.deepEqual([missing, part], [2, undefined]);
  });

  test('is of one type of records, and of others nothing is told', () => {
    assert.deepEqual(
      ['post', 'account'].map((type) => isTold(loaded(all), type)),
      [true, false],
    );
  });
});

describe('a definition that publishes posts', () => {
  test('is refused where it names what is not declared', () => {
    const parsed = parseSource(source('{ type: birds.timeline, record: pots, id: name }'), 'birds.yaml');
    assert.deepEqual(!parsed.ok && parsed.problems.map(({ path, message }) => `${path}: ${message}`), [
      'publish.posts.record: expected a declared record (account, post), got "pots"; did you mean "post"?',
      'publish.posts.id: expected a parameter of "url" (handle), got "name"',
    ]);
    const field = parseSource(source('{ type: birds.timeline, record: post, body: txet }'), 'birds.yaml');
    assert.match(!field.ok ? (field.problems[0]?.message ?? '') : '', /expected a declared field \(.*\), got "txet"/);
    const which = parseSource(source('{ type: birds.timeline }'), 'birds.yaml');
    assert.match(!which.ok ? (which.problems[0]?.message ?? '') : '', /expected "record", as there are several/);
  });

  test('reads its pages as before, so that its version stays', () => {
    assert.equal(definitionVersion(loaded(all)), definitionVersion(loaded('{ type: birds.other, record: post }')));
  });
});
