import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Fence, type Role, roleOf } from './fences.ts';

function fence(language: string, more: Partial<Fence> = {}): Fence {
  return { where: 'page.md:1', language, kind: '', content: '', note: '', file: undefined, ...more };
}

const ran: Role = { type: 'run', exits: 0 };

describe('a block of a page that is run', () => {
  const cases: readonly [what: string, block: Fence, before: Role | undefined, role: Role][] = [
    ['of commands is run', fence('sh'), undefined, ran],
    ['that says its status ends with it', fence('sh', { note: 'exits 3' }), undefined, { type: 'run', exits: 3 }],
    [
      'may be repeated until it prints what follows',
      fence('sh', { note: 'until it prints' }),
      ran,
      { type: 'run until' },
    ],
    ['directly behind commands is what they print', fence('text'), ran, { type: 'printed' }],
    [
      'that begins with the name of a file becomes that file',
      fence('yaml', { file: 'sources/a.yaml' }),
      undefined,
      { type: 'file', file: 'sources/a.yaml' },
    ],
    [
      'may be added to a file',
      fence('yaml', { note: 'added to heronry.yaml below "data: data"' }),
      ran,
      { type: 'added', file: 'heronry.yaml', below: 'data: data' },
    ],
    [
      'that is not run says why',
      fence('sh', { note: 'not run: it asks the public internet' }),
      undefined,
      { type: 'not run', reason: 'it asks the public internet' },
    ],
  ];
  for (const [what, block, before, role] of cases) test(what, () => assert.deepEqual(roleOf(block, before), role));

  for (const [what, block, before] of [
    ['that nothing comes before and that is no file', fence('text'), undefined],
    ['behind one that is not run', fence('text'), { type: 'not run', reason: 'x' } as const],
    ['with a comment that means nothing', fence('sh', { note: 'exit 1' }), undefined],
    ['that is not run and gives no reason', fence('sh', { note: 'not run:' }), undefined],
  ] as const)
    test(`${what} is refused, with its page and line`, () =>
      assert.throws(() => roleOf(block, before), /^Error: page\.md:1: expected commands, .*<!-- not run: why -->/));
});
