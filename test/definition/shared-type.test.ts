import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { run } from '../cli/terminal.ts';
import { temporaryDirectory } from '../control/daemon.ts';

const post = `id: post
fields:
  title: { required: true }
  price: { type: money, required: true }
  "tags[]": {}
  links: { type: array }
`;

const fits = `id: blog
url: https://blog.example/
records:
  item:
    key: title
    is: post
    fields:
      title: h1
      price: { css: .price, type: money }
      extra: { css: .extra, type: integer }
      "tags[]": .tag
      links: { css: a, type: array, of: { fields: { href: . @href }, result: href } }
`;

/** What `validate` prints of a folder with these files, or of one of them. */
async function validated(
  t: Parameters<typeof temporaryDirectory>[0],
  files: Readonly<Record<string, string>>,
  ...path: readonly string[]
): Promise<string> {
  const cwd = await temporaryDirectory(t);
  await Promise.all(['sources', 'types'].map((name) => mkdir(join(cwd, name))));
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  return (await run(['validate', ...path], { cwd })).out;
}

describe('a type of records', () => {
  test('is what a record is that has its required fields, and those of its others that it has in their types', async (t) => {
    assert.equal(
      await validated(t, { 'types/post.yaml': post, 'sources/blog.yaml': fits }),
      '1 source and 0 projects, no problems\n',
    );
  });

  test('is not what a record is that lacks a required field or has a field in another type, told with its line', async (t) => {
    const unfit = fits
      .replace(/ +price.*\n/, '')
      .replace('title: h1', 'title: { css: h1, type: date }')
      .replace('"tags[]": .tag', 'tags: .tag')
      .replace(/ +links.*\n/, '      links: a\n');
    const files = { 'types/post.yaml': post, 'sources/blog.yaml': unfit };
    const problems = [
      'sources/blog.yaml:6:9: records.item.is: missing the field "price" of type money, which the type "post" requires',
      'sources/blog.yaml:8:14: records.item.fields.title: expected text, as the type "post" has it, got date',
      'sources/blog.yaml:10:13: records.item.fields.tags: expected array of text, as the type "post" has it, got text',
      'sources/blog.yaml:11:14: records.item.fields.links: expected array, as the type "post" has it, got text',
      '',
    ].join('\n');
    const sorted = (out: string): string[] => out.split('\n').sort();
    assert.deepEqual(sorted(await validated(t, files)), sorted(problems));
    assert.deepEqual(sorted(await validated(t, files, 'sources/blog.yaml')), sorted(problems));
  });

  test('that has no file, or a file with problems, is told', async (t) => {
    const problems = [
      'types/note.yaml:1:5: id: expected the name of its file, "note", got "not"',
      'types/note.yaml:2:22: fields.a.type: expected one of text, ',
      'types/note.yaml:3:1: feilds: unknown key "feilds"; did you mean "fields"?',
      'sources/blog.yaml:6:9: records.item.is: expected a type with a file in the folder "types" (post), got "pots"; did you mean "post"?',
      'sources/log.yaml:6:9: records.item.is: the type "note" has problems of its own',
    ];
    const out = await validated(t, {
      'types/post.yaml': post,
      'types/note.yaml': 'id: not\nfields: { a: { type: mony } }\nfeilds: {}\n',
      'sources/blog.yaml': fits.replace('is: post', 'is: pots'),
      'sources/log.yaml': fits.replace('id: blog', 'id: log').replace('is: post', 'is: note'),
    });
    for (const problem of problems) assert.ok(out.includes(problem), `${problem}\n${out}`);
    assert.equal(out.trim().split('\n').length, problems.length);
    const one = await validated(t, { 'types/note.yaml': 'id: note\nfields: {}\n' }, 'types/note.yaml');
    assert.match(one, /^types\/note\.yaml:2:9: fields: expected at least one field/);
  });

  test('is linked by fields of its own that can be compared', async (t) => {
    const linked = (link: string) =>
      validated(t, { 'types/post.yaml': `${post}  year: { type: integer }\nlink: ${link}\n` }, 'types/post.yaml');
    assert.equal(
      await linked('[title, [year, { field: title, as: words }]]'),
      '0 sources and 0 projects, no problems\n',
    );
    const out = await linked('[titel, [year, price], { field: year, as: digits }]');
    for (const problem of [
      /^types\/post\.yaml:\d+:8: link\[0\]: expected a declared field \(.*\), got "titel"; did you mean "title"\?$/m,
      /^types\/post\.yaml:\d+:\d+: link\[1\]: expected a field of type text, .*, got "price" of type money$/m,
      /^types\/post\.yaml:\d+:\d+: link\[2\]: expected a field of type text or url for "digits", got "year" of type integer$/m,
    ])
      assert.match(out, problem);
    assert.match(await linked('[{ field: title, as: word }]'), /expected one of exact, words, digits, got "word"/);
  });
});
