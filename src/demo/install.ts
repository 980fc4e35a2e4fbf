import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MethodInput } from '../control/methods.ts';

/** A project of the demo, as it is added to the daemon. */
export type DemoProject = MethodInput<'project.add'> & { readonly id: string };

/** The origin of the demo web in the definitions as written; `installSources` replaces it. */
const writtenOrigin = 'http://127.0.0.1:8080';
/** The register's start date in the definitions as written; `installSources` replaces it by a day near enough for a demo. */
const writtenStart = 'start: 2026-01-01';
const collectedMs = 3 * 86_400_000;

/** Writes the demo's source definitions into a folder, which is made if need be, for a web at `origin` that opened at an instant. */
export async function installSources(folder: string, origin: string, openedAt: number): Promise<void> {
  const from = join(import.meta.dirname, 'sources');
  await mkdir(folder, { recursive: true });
  for (const file of await readdir(from)) {
    const text = await readFile(join(from, file), 'utf8');
    const start = `start: ${new Date(openedAt - collectedMs).toISOString().slice(0, 10)}`;
    await writeFile(join(folder, file), text.replaceAll(writtenOrigin, origin).replace(writtenStart, start));
  }
}

/** The configuration of the demo's daemon: its figures are converted by the rates of the demo's bank. */
export const demoConfig = 'rates: { source: bank, of: rate }\n';

/** The projects that the demo tracks: pages, of which one ends while a demo runs, lists, a crawl, a register, and a campaign whose figures come from three sites. */
export function demoProjects(origin: string): readonly DemoProject[] {
  return [
    ...['solar-backpack', 'folding-kayak', 'pocket-kiln', 'moss-lamp'].map((slug) => campaign(slug)),
    { id: 'heron', name: 'Posts of a heron', targets: [{ source: 'timeline', params: { account: 'heron' } }] },
    {
      id: 'night-train',
      name: 'Posts of a train',
      targets: [{ source: 'timeline', params: { account: 'night-train' } }],
    },
    { id: 'red-shoes', name: 'Red shoes', targets: [{ source: 'shop', url: `${origin}/shop/c/shoes?colour=red` }] },
    { id: 'trials', name: 'Newest trials', targets: [{ source: 'trials', url: `${origin}/register/export.csv` }] },
    { id: 'bank', name: 'Rates of the bank', targets: [{ source: 'bank', url: `${origin}/bank/rates.csv` }] },
    returnsOf('paper-radio'),
  ];
}

/** A campaign with its ads and a shop abroad: what it earns, and what comes back for what its ads cost, in euros. */
function returnsOf(slug: string): DemoProject {
  const inEuro = { currency: 'EUR', min: 0 };
  return {
    ...campaign(slug),
    targets: ['crowd', 'ads', 'abroad'].map((source) => ({ source, params: { slug } })),
    metrics: {
      pledged: { of: 'campaign', field: 'pledged', ...inEuro },
      sales: { of: 'takings', field: 'total', ...inEuro },
      income: 'pledged + sales',
      spend: { of: 'ad', field: 'spend', take: 'sum', ...inEuro },
      roas: 'income / spend',
    },
  };
}

function campaign(slug: string): DemoProject {
  const name = slug.replaceAll('-', ' ').replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
  return { id: slug, name, labels: ['campaign'], targets: [{ source: 'crowd', params: { slug } }] };
}
