import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asked } from '../control/methods.ts';

/** Where the demo's definitions say that the web is, until they are installed. */
const writtenOrigin = 'http://127.0.0.1:8080';
/** Where they say that a register is to be collected from: as many days back as a demo has time for. */
const writtenStart = 'start: 2026-01-01';
const collectedMs = 3 * 86_400_000;

/** Writes the demo's source definitions into a folder, which is made if need be, for a web at `origin` (`http://127.0.0.1:<port>`) that opened at an instant. */
export async function installSources(folder: string, origin: string, openedAt: number): Promise<void> {
  const from = join(import.meta.dirname, 'sources');
  await mkdir(folder, { recursive: true });
  for (const file of await readdir(from)) {
    const text = await readFile(join(from, file), 'utf8');
    const start = `start: ${new Date(openedAt - collectedMs).toISOString().slice(0, 10)}`;
    await writeFile(join(folder, file), text.replaceAll(writtenOrigin, origin).replace(writtenStart, start));
  }
}

/** The projects that the demo tracks, as they are added: pages, a list, a register and a crawl, some on two sources, one that ends while a demo runs. */
export function demoProjects(origin: string): readonly (Asked<'project.add'> & { readonly id: string })[] {
  return [
    { ...campaign('solar-backpack', 'Solar Backpack'), labels: ['outdoor'] },
    { ...campaign('folding-kayak', 'Folding Kayak'), labels: ['outdoor'] },
    { id: 'pocket-kiln', name: 'Pocket Kiln', targets: [{ source: 'crowd', params: { slug: 'pocket-kiln' } }] },
    { id: 'paper-radio', name: 'Paper Radio', targets: [{ source: 'crowd', params: { slug: 'paper-radio' } }] },
    { id: 'moss-lamp-ads', name: 'Moss Lamp', targets: [{ source: 'ads', params: { campaign: 'moss-lamp' } }] },
    { id: 'bag', name: 'A bag', targets: [{ source: 'shop', params: { sku: 'bags-1003' } }] },
    { id: 'lamp', name: 'A lamp', targets: [{ source: 'shop', params: { sku: 'lamps-1010' } }] },
    { id: 'shoes', name: 'Red shoes', targets: [{ source: 'range', url: `${origin}/shop/c/shoes?colour=red` }] },
    { id: 'heron', name: 'Posts of a heron', targets: [{ source: 'social', params: { account: 'heron' } }] },
    {
      id: 'night-train',
      name: 'Posts of a train',
      targets: [{ source: 'timeline', params: { account: 'night-train' } }],
    },
    { id: 'trial', name: 'A trial', targets: [{ source: 'register', params: { id: 'HRN00000003' } }] },
    { id: 'new-trials', name: 'Newest trials', targets: [{ source: 'trials', url: `${origin}/register/trials` }] },
  ];
}

function campaign(slug: string, name: string): Asked<'project.add'> & { readonly id: string } {
  return {
    id: slug,
    name,
    targets: [
      { source: 'crowd', params: { slug } },
      { source: 'ads', params: { campaign: slug } },
    ],
  };
}
