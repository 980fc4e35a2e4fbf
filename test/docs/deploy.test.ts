import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { describe, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import type { DaemonConfig } from '../../src/definition/daemon.ts';
import { loadDaemon, loadSinks, loadSources } from '../../src/definition/load.ts';
import { ask, serveHttp } from '../http/server.ts';
import { temporaryFolder } from '../store/fixture.ts';
import { certificate, identity } from '../support/secure-site.ts';
import { findProgram, missingServer } from '../support/servers/own-server.ts';
import { blocksOf } from './blocks.ts';
import { faultOf, wordsOf } from './shown-command.ts';

const top = join(import.meta.dirname, '../..');
const folder = join(top, 'docs/deploy');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
const page = read('README.md');
const units = ['systemd/heronry.service', 'systemd/heronry-worker@.service'];
const own = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};

/** The lines of a unit by their key. */
function linesOf(unit: string): (key: string) => string[] {
  const lines = read(unit)
    .split('\n')
    .flatMap((line) => (/^[A-Z]\w*=/.test(line) ? [line.split(/=(.*)/s) as [string, string]] : []));
  return (key) => lines.flatMap(([name, value]) => (name === key ? [value] : []));
}

/** The configuration that a file has. */
async function configOf(file: string): Promise<DaemonConfig> {
  const loaded = await loadDaemon(file);
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.value;
}

/** The names of the secrets that a value names, under `password` or as `{ secret: … }`. */
function secretsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    (key === 'password' || key === 'secret') && typeof each === 'string' ? [each] : secretsIn(each),
  );
}

describe('docs/deploy/README.md', () => {
  test('shows commands of the program that there are, with their options', () => {
    const lines = blocksOf(page).flatMap(({ content }) => content.split('\n'));
    const shown = lines.flatMap((line) =>
      Array.from(line.matchAll(/(?:^| )heronry ((?!heronry )[a-z][^#&'\n]*)/g), ([, words = '']) => words.trim()),
    );
    const commands = shown.filter((words) => /^[a-z]/.test(words) && !words.startsWith('heronry-worker'));
    assert.ok(commands.length > 12, shown.join('\n'));
    const faults = commands.flatMap((words) => faultOf(wordsOf(words)) ?? []);
    assert.deepEqual(faults, []);
  });

  test('leads to files and headings that are there', () => {
    const links = Array.from(page.matchAll(/\]\(([^)]+)\)/g), ([, link = '']) => link);
    assert.ok(links.length > 15);
    for (const link of links) {
      const [file = '', heading] = link.split('#');
      assert.ok(file === '' || existsSync(join(folder, file)), link);
      if (heading === undefined) continue;
      const text = file === '' ? page : read(file);
      const headings = Array.from(text.matchAll(/^#+ (.*)$/gm), ([, title = '']) =>
        title
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      );
      assert.ok(headings.includes(heading), link);
    }
  });

  test('and the files beside it name one version of the program, and the versions of packages that it is tested with', () => {
    const texts = ['README.md', 'docker/Dockerfile', 'docker/compose.yaml', 'kubernetes/heronry.yaml'].map(read);
    const named = texts.flatMap((text) =>
      Array.from(text.matchAll(/heronry[@:-](\d+\.\d+\.\d+)/g), ([, each = '']) => each),
    );
    assert.deepEqual([...new Set(named)].toSorted(), ['1.0.0', '1.0.1']);
    const packages = texts.flatMap((text) => Array.from(text.matchAll(/([a-z-]+)@(\d[\d.]*\d)/g)));
    const known = { ...own.devDependencies, ...own.peerDependencies, heronry: '1.0.0' };
    for (const [, name = '', version] of packages)
      if (name !== 'heronry') assert.equal(version, Object.entries(known).find(([each]) => each === name)?.[1], name);
    assert.ok(packages.length > 5);
  });
});

describe('the units of systemd', () => {
  for (const unit of units)
    test(`${unit} runs a command of the program, with what it is handed`, async () => {
      const lines = linesOf(unit);
      const [program, ...words] = (lines('ExecStart')[0] ?? '').split(' ');
      assert.equal(program, '/opt/heronry/node_modules/.bin/heronry');
      assert.equal(faultOf(words), undefined);
      const handed = lines('LoadCredential').map((each) => each.split(':')[0] ?? '');
      const config = words[words.indexOf('--config') + 1] ?? '';
      const { data, secrets = '', engine } = await configOf(join(folder, 'systemd', basename(config)));
      assert.ok(handed.includes(basename(secrets)), secrets);
      if (words[0] === 'start') {
        assert.equal(dirname(secrets), `/run/credentials/${basename(unit)}`);
        assert.equal(dirname(data), `/var/lib/${lines('StateDirectory')[0]}`);
      } else {
        // All stand in the folder of credentials.
        assert.equal(dirname(config), '%d');
        assert.deepEqual([secrets, engine?.bullmq.key], ['secrets.yaml', 'cluster.key']);
        assert.ok(handed.includes('cluster.key') && handed.includes(basename(config)));
      }
      assert.deepEqual(lines('KillSignal'), ['SIGTERM']);
    });

  test(
    'are taken by systemd without a word',
    { skip: missingServer('systemd-analyze', findProgram('systemd-analyze') !== undefined) },
    async (t) => {
      // In place of the program, which is not installed where tests run.
      const place = temporaryFolder(t);
      for (const unit of units)
        await writeFile(
          join(place, basename(unit)),
          read(unit).replaceAll('/opt/heronry/node_modules/.bin/heronry', '/bin/sh'),
        );
      const verify = findProgram('systemd-analyze') ?? '';
      const output = execFileSync(verify, ['verify', '--man=no', ...units.map((unit) => join(place, basename(unit)))], {
        stdio: 'pipe',
      });
      assert.equal(output.toString(), '');
    },
  );
});

describe('compose.yaml', () => {
  interface Service {
    readonly command?: readonly string[];
    readonly ports?: readonly string[];
    readonly secrets?: readonly (string | { readonly source: string })[];
    readonly volumes?: readonly string[];
    readonly networks: readonly string[];
  }
  const { services, secrets } = parse(read('docker/compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  };
  const dockerfile = read('docker/Dockerfile');

  test('publishes the port of HTTP alone, on this machine', async () => {
    const ports = Object.entries(services).flatMap(([name, { ports: each = [] }]) => each.map((port) => [name, port]));
    const { http } = await configOf(join(folder, 'docker/config/heronry.yaml'));
    assert.deepEqual(ports, [['heronry', `127.0.0.1:${http?.port}:${http?.port}`]]);
    assert.ok(http?.tls !== undefined && http.names?.includes('localhost'));
  });

  test('and its image run commands of the program', () => {
    const [, start = '[]'] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const [, health = '[]'] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const [program, ...asked] = JSON.parse(health) as string[];
    assert.equal(program, 'heronry');
    for (const words of [JSON.parse(start) as string[], asked, services['worker']?.command ?? []])
      assert.equal(faultOf(words), undefined);
    assert.match(dockerfile, /^USER heronry$/m);
  });

  test('has a server for each address that its configurations and sinks name, on a network that they share', async () => {
    for (const [file, service] of [
      ['config/heronry.yaml', 'heronry'],
      ['worker/worker.yaml', 'worker'],
    ] as const) {
      const { engine } = await configOf(join(folder, 'docker', file));
      const url = engine?.bullmq.url;
      assert.ok(typeof url === 'string');
      const { networks } = services[new URL(url).hostname] ?? { networks: [] };
      assert.ok(
        networks.some((each) => services[service]?.networks.includes(each)),
        url,
      );
    }
    const { sinks, problems } = await loadSinks(join(folder, 'docker/config/sources'));
    assert.deepEqual(problems, []);
    const hosts = Array.from(
      JSON.stringify([...sinks.values()]).matchAll(/"url":"\w+:\/\/heronry@(\w+)/g),
      ([, host = '']) => host,
    );
    assert.deepEqual(hosts.toSorted(), ['postgres', 'rabbitmq']);
    assert.deepEqual((await loadSources(join(folder, 'docker/config/sources'))).problems, []);
  });

  test('hands each file to a container that its configuration names, and no other secret', async () => {
    for (const [file, service] of [
      ['config/heronry.yaml', 'heronry'],
      ['worker/worker.yaml', 'worker'],
    ] as const) {
      const text = await readFile(join(folder, 'docker', file), 'utf8');
      const { secrets: handed = [], command = [] } = services[service] ?? {};
      const named = Array.from(
        `${text}${command.join(' ')}`.matchAll(/\/run\/secrets\/([\w.-]+)/g),
        ([, each = '']) => each,
      );
      assert.deepEqual([...new Set(named)].toSorted(), handed.map(String).toSorted());
    }
  });

  const isRoot = process.getuid?.() === 0 && findProgram('openssl') !== undefined;
  test(
    'mounts the secrets that make-secrets.sh makes, with all that is named',
    { skip: !isRoot && 'make-secrets.sh needs root and openssl' },
    async (t) => {
      const place = join(temporaryFolder(t), 'docker');
      await cp(join(folder, 'docker'), place, { recursive: true });
      execFileSync('sh', [join(place, 'make-secrets.sh')], { stdio: 'pipe' });
      assert.throws(() => execFileSync('sh', [join(place, 'make-secrets.sh')], { stdio: 'pipe' }), /File exists/);
      for (const { file } of Object.values(secrets)) assert.ok((await stat(join(place, file))).size > 0, file);
      const made = globSync('*', { cwd: join(place, 'secrets') });
      assert.deepEqual(made.toSorted(), Object.keys(secrets).toSorted());
      assert.equal((await stat(join(place, 'secrets'))).mode & 0o777, 0o700);
      assert.equal((await stat(join(place, 'secrets/cluster.key'))).size, 32);
      const { sinks } = await loadSinks(join(place, 'config/sources'));
      for (const [file, named] of [
        ['secrets.yaml', secretsIn([parse(read('docker/config/heronry.yaml')), ...sinks.values()])],
        ['worker-secrets.yaml', secretsIn(parse(read('docker/worker/worker.yaml')))],
      ] as const) {
        const { mode, uid, gid } = await stat(join(place, 'secrets', file));
        assert.deepEqual([mode & 0o777, uid, gid], [0o440, 0, 10_001]);
        const values = parse(await readFile(join(place, 'secrets', file), 'utf8')) as Record<string, string>;
        assert.deepEqual(Object.keys(values).toSorted(), [...new Set(named)].toSorted());
      }
    },
  );
});

describe('the file for Kubernetes', () => {
  interface Probe {
    readonly httpGet: {
      readonly path: string;
      readonly port: string;
      readonly scheme: string;
      readonly httpHeaders: readonly { name: string; value: string }[];
    };
  }
  interface Container {
    readonly args: readonly string[];
    readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
    readonly startupProbe?: Probe;
    readonly livenessProbe?: Probe;
    readonly readinessProbe?: Probe;
  }
  interface Thing {
    readonly kind: string;
    readonly data: Readonly<Record<string, string>>;
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
  }
  const things = parseAllDocuments(read('kubernetes/heronry.yaml')).map((each) => each.toJS() as Thing);
  const of = (kind: string): Thing => things.find((each) => each.kind === kind) ?? assert.fail(kind);
  const containers = ['StatefulSet', 'Deployment'].flatMap((kind) => of(kind).spec.template.spec.containers);

  test('runs commands of the program, on configurations that name mounted files alone', async (t) => {
    const place = temporaryFolder(t);
    for (const { args, volumeMounts, ports = [] } of containers) {
      assert.equal(faultOf(args), undefined);
      const named = basename(args[args.indexOf('--config') + 1] ?? '');
      const text = of('ConfigMap').data[named] ?? assert.fail(named);
      await mkdir(place, { recursive: true });
      await writeFile(join(place, named), text);
      const { http } = await configOf(join(place, named));
      const paths = Array.from(`${text} ${args.join(' ')}`.matchAll(/(?<![\w:/])\/[\w./-]+/g), ([each]) => each);
      const mounts = volumeMounts.map(({ mountPath }) => mountPath);
      for (const path of paths)
        assert.ok(
          mounts.some((each) => path === each || !posix.relative(each, path).startsWith('..')),
          path,
        );
      assert.deepEqual(
        ports.map(({ containerPort }) => containerPort),
        http === undefined ? [] : [http.port],
      );
    }
  });

  test('has probes that the daemon answers at their path, scheme and name', async (t) => {
    const config = parse(of('ConfigMap').data['heronry.yaml'] ?? '') as { http: { names: string[] } };
    const tls = { read: () => Promise.resolve(identity('localhost')), renewed: () => {} };
    const { port } = await serveHttp(t, {}, { tls, names: config.http.names });
    const [{ startupProbe, livenessProbe, readinessProbe } = assert.fail()] = containers;
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
      assert.ok(probe);
      const { path, scheme, httpHeaders } = probe.httpGet;
      assert.equal(scheme, 'HTTPS');
      const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name.toLowerCase(), value]));
      const secure = { ca: certificate('localhost'), servername: 'localhost' };
      assert.equal((await ask(port, path, { token: undefined, headers, tls: secure })).status, 200, path);
      assert.equal(
        (await ask(port, path, { token: undefined, tls: secure, headers: { host: '10.1.2.3' } })).status,
        421,
      );
    }
  });
});
