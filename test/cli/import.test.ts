import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { brotli, settings, uuid, watchOf } from '../import/backup.ts';
import { writeZip } from '../import/zip.ts';
import { startDaemon, startDaemonIn } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from './terminal.ts';

const at = (day: string): number => Date.parse(day) / 1_000;

/** A folder with a backup of a watch on a site of this machine, with a history, and of one with a secret. */
async function withBackup(t: TestContext) {
  const site = await openSite(t, {
    '/terms': '<html><body><h1>Terms</h1><p>Returns within 14 days.</p><p class="seen">Visitors: 3</p></body></html>',
  });
  const folder = await temporaryDirectory(t);
  const terms = watchOf({ url: site.url('/terms'), title: 'Terms', ignore_text: ['Visitors:'] });
  const secret = watchOf({
    url: site.url('/private'),
    title: 'Private',
    headers: { Authorization: 'Bearer geheim' },
    paused: true,
  });
  await writeZip(join(folder, 'backup.zip'), [
    ['changedetection.json', settings()],
    [`${uuid(1)}/watch.json`, JSON.stringify(terms)],
    [`${uuid(1)}/history.txt`, `${at('2024-01-01')},a.txt\n${at('2025-01-01')},b.txt.br\n`],
    [`${uuid(1)}/a.txt`, 'Terms\nReturns within 60 days.\nVisitors: 1'],
    [`${uuid(1)}/b.txt.br`, brotli('Terms\n\nReturns within 30 days.\nVisitors: 2')],
    [`${uuid(2)}/watch.json`, JSON.stringify(secret)],
    [`${uuid(3)}/watch.json`, '{'],
  ]);
  return { site, folder, heronry: (...words: string[]) => run(words, { cwd: folder }) };
}

/** Lets the site of a test be asked without pauses, as a person may edit a definition. */
function hasten(folder: string): Promise<void> {
  return appendFile(
    join(folder, 'sources/terms.yaml'),
    'politeness: { autoThrottle: false, delay: 0ms, minDelay: 0ms }\n',
  );
}

/** A socket where something listens that hangs up at the first word. */
async function hangingUp(t: TestContext, folder: string): Promise<string> {
  const path = join(folder, 'broken.sock');
  const server = createServer((caller) => caller.on('error', () => undefined).once('data', () => caller.destroy()));
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  t.after(() => server.close());
  return path;
}

describe('import changedetection', () => {
  test('makes a project that is valid and tracked, whose first scrape compares with the last snapshot', async (t) => {
    const { site, folder, heronry } = await withBackup(t);
    const dry = await heronry('import', 'changedetection', 'backup.zip', '--dry-run');
    assert.match(dry.out, /^would write 6 files: sources\/terms\.yaml/m);
    assert.deepEqual(await readdir(folder), ['backup.zip']);

    const first = await heronry('import', 'changedetection', 'backup.zip');
    assert.equal(first.status, 0);
    assert.match(first.out, /^terms\s+Terms\s+yes\s+2$/m);
    assert.match(first.out, /^private\s+Private\s+no\s+0$/m);
    assert.match(first.out, /0003\/watch\.json: it is no JSON$/m);
    assert.match(first.out, /^secrets: PRIVATE_TOKEN: their values stand in secrets\.yaml/m);
    assert.match(first.out, /^history: 2 versions wait: start the daemon/m);
    assert.doesNotMatch(first.out + first.err, /geheim/);
    assert.equal(await readFile(join(folder, 'secrets.yaml'), 'utf8'), 'PRIVATE_TOKEN: geheim\n');
    assert.equal((await stat(join(folder, 'secrets.yaml'))).mode & 0o777, 0o600);
    for (const words of [['validate'], ['validate', 'projects-changedetection.yaml']])
      assert.match((await heronry(...words)).out, /no problems/);

    await hasten(folder);
    const { client, socket, event } = await startDaemonIn(t, folder, {});
    const again = await heronry('import', 'changedetection', 'backup.zip', '--socket', socket);
    assert.match(again.out, /^wrote 0 files\nleft as they stand there, with another content: sources\/terms\.yaml$/m);
    assert.match(again.out, /^history: 2 changes of 2 versions, 0 as before, 0 skipped$/m);
    await heronry('apply', '-f', 'projects-changedetection.yaml', '--socket', socket);
    const changed = await event((each) => each.type === 'record.changed');
    assert.deepEqual(changed.data, {
      type: 'page',
      key: 'terms',
      fields: { text: { old: 'Terms\nReturns within 30 days.', new: 'Terms\nReturns within 14 days.' } },
    });
    const history = await heronry('history', 'terms', '--socket', socket);
    assert.match(history.out, /\tchanged\t.*\timported\n.*\tadded\t.*\timported\n/);
    const diff = await heronry('diff', 'terms', '--from', '2024-06-01', '--to', '2025-06-01', '--socket', socket);
    assert.match(diff.out, /60[^]*30/);

    site.answer('/terms', '<html><body><h1>Terms</h1><p>No returns.</p><p class="seen">Visitors: 9</p></body></html>');
    await client.call('project.rescrape', { id: 'terms' });
    const next = await event((each) => each.type === 'record.changed' && each.id > changed.id);
    assert.match(JSON.stringify(next.data), /No returns\."/);

    const late = await heronry('import', 'changedetection', 'backup.zip', '--socket', socket);
    assert.match(late.out, /terms: 2 versions of its history: they are known already, or its page was scraped before/);
  });

  test('leaves what stands there as it is, and says so', async (t) => {
    const { folder, heronry } = await withBackup(t);
    await mkdir(join(folder, 'definitions'));
    await writeFile(join(folder, 'heronry.yaml'), 'sources: definitions\nsecrets: mine.yaml\n');
    await writeFile(join(folder, 'definitions/terms.yaml'), 'id: terms\n');
    await writeFile(join(folder, 'mine.yaml'), 'A: b\n', { mode: 0o600 });
    const { out } = await heronry('import', 'changedetection', 'backup.zip');
    assert.match(out, /^left as they stand there, with another content: definitions\/terms\.yaml, mine\.yaml$/m);
    assert.match(out, /^secrets: PRIVATE_TOKEN: not written, as mine\.yaml was there before/m);
    assert.equal(await readFile(join(folder, 'definitions/terms.yaml'), 'utf8'), 'id: terms\n');
    assert.equal(await readFile(join(folder, 'mine.yaml'), 'utf8'), 'A: b\n');
    assert.deepEqual((await readdir(join(folder, 'definitions'))).toSorted(), ['private.yaml', 'terms.yaml']);
  });

  for (const [what, put] of [
    ['a link that leads nowhere', (file: string) => symlink('nowhere', file)],
    ['a directory', (file: string) => mkdir(file)],
  ] as const)
    test(`writes nothing where ${what} stands in the place of a file, and names it`, async (t) => {
      const { folder, heronry } = await withBackup(t);
      await put(join(folder, 'secrets.yaml'));
      const { status, out, err } = await heronry('import', 'changedetection', 'backup.zip');
      assert.deepEqual(
        { status, out, err },
        { status: 4, out: '', err: `heronry: secrets.yaml: expected a file, or nothing, got ${what}\n` },
      );
      assert.deepEqual((await readdir(folder)).toSorted(), ['backup.zip', 'secrets.yaml']);
    });

  test('names the file that stands where a folder belongs', async (t) => {
    const { folder, heronry } = await withBackup(t);
    await writeFile(join(folder, 'sources'), '');
    const { status, err } = await heronry('import', 'changedetection', 'backup.zip');
    assert.equal(status, 4);
    assert.match(err, /^heronry: sources\/\w+\.yaml: could not be read: not a directory\n$/);
  });

  test('lists what was not taken before it fails with what keeps the history from the daemon', async (t) => {
    const { folder, heronry } = await withBackup(t);
    const other = await startDaemon(t, { sources: {} });
    const { status, out, err } = await heronry('import', 'changedetection', 'backup.zip', '--socket', other.socket);
    assert.match(out, /0003\/watch\.json: it is no JSON$/m);
    assert.match(out, /^wrote 6 files: /m);
    assert.match(out, /^history: 2 versions wait, or some of them: mend what the error says, and run this again/m);
    assert.match(err, /^heronry: the daemon on \S+ \(pid \d+\) keeps \S+, but \S+ keeps \S+: .*--any-daemon\n$/);
    assert.equal(status, 4);
    assert.equal((await readdir(folder)).length, 6);
  });

  test('lists what was not taken where the daemon does not take the new definitions', async (t) => {
    const { folder, heronry } = await withBackup(t);
    await writeFile(join(folder, 'heronry.yaml'), 'data: data\nsecrets: secrets.yaml\n');
    const socket = await hangingUp(t, folder);
    const { status, out, err } = await heronry('import', 'changedetection', 'backup.zip', '--socket', socket);
    assert.match(out, /0003\/watch\.json: it is no JSON$/m);
    assert.match(out, /^wrote 4 files: /m);
    assert.match(err, /^heronry: .*hung up/);
    assert.equal(status, 69);
  });

  test('tells machines all of it', async (t) => {
    const { heronry } = await withBackup(t);
    const { out } = await heronry('import', 'changedetection', 'backup.zip', '--dry-run', '--json');
    const told: unknown = JSON.parse(out);
    assert.deepEqual(Object.keys(told as object), ['watches', 'files', 'secrets', 'notes']);
    assert.match(out, /"secrets":\["PRIVATE_TOKEN"\]/);
    assert.doesNotMatch(out, /geheim/);
  });

  test('refuses what is no backup', async (t) => {
    const { folder, heronry } = await withBackup(t);
    await writeFile(join(folder, 'other.zip'), 'x');
    const { status, err } = await heronry('import', 'changedetection', 'other.zip');
    assert.equal(status, 2);
    assert.match(err, /^heronry: other\.zip: expected a backup of changedetection\.io: /);
    assert.match((await heronry('import', 'changedetection', 'none.zip')).err, /none\.zip: expected a backup/);
  });
});

describe('import urlwatch', () => {
  test('makes a project that is valid and tracked', async (t) => {
    const { site, folder, heronry } = await withBackup(t);
    await writeFile(
      join(folder, 'urls.yaml'),
      `name: Terms\nurl: ${site.url('/terms')}\nfilter:\n  - css: p\n  - html2text\n  - grepi: Visitors\n---\ncommand: date\n`,
    );
    const { out } = await heronry('import', 'urlwatch', 'urls.yaml');
    assert.match(out, /^terms\s+Terms\s+yes\s+0$/m);
    assert.match(out, /^- the job of line 8: the watch: it watches what a program prints/m);
    assert.match((await heronry('validate')).out, /1 source and 0 projects, no problems/);
    await hasten(folder);
    const { client, socket, event } = await startDaemonIn(t, folder, {});
    await heronry('apply', '-f', 'projects-urlwatch.yaml', '--socket', socket);
    const added = await event((each) => each.type === 'record.added');
    assert.match(JSON.stringify(added.data), /"new":"Returns within 14 days\."/);
    site.answer('/terms', '<html><body><p>No returns.</p><p>Visitors: 9</p></body></html>');
    await client.call('project.rescrape', { id: 'terms' });
    const changed = await event((each) => each.type === 'record.changed');
    assert.match(JSON.stringify(changed.data), /"new":"No returns\."/);
  });

  test('refuses a file that is not there, and a database that is none', async (t) => {
    const { folder, heronry } = await withBackup(t);
    assert.match((await heronry('import', 'urlwatch', 'none.yaml')).err, /none\.yaml: there is no such file/);
    await writeFile(join(folder, 'urls.yaml'), 'url: https://a.example/\n');
    const { status, err } = await heronry('import', 'urlwatch', 'urls.yaml', '--cache', 'urls.yaml');
    assert.equal(status, 2);
    assert.match(err, /urls\.yaml: expected the database of urlwatch: /);
  });
});
