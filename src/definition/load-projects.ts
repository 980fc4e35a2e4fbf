import { dirname, resolve } from 'node:path';
import type { Issue } from '../schema/expected.ts';
import { maxProjectFileBytes } from './file.ts';
import { load, type Loaded, parse, problemsIn } from './load-file.ts';
import type { Problem } from './problem.ts';
import {
  isSitemap,
  maxProjects,
  type Project,
  type Projects,
  type SitemapTargets,
  WrittenProjects,
} from './project.ts';
import { type ListedAddress, readTargets, sitemapProjects } from './target-file.ts';
import { readYaml } from './yaml.ts';

/** Reads the addresses of a sitemap that are targets. */
export type ReadSitemap = (given: SitemapTargets) => Promise<readonly ListedAddress[]>;

/**
 * Loads a project file, with the files in which targets of its projects stand. With any problem there is no list, so that no half of it is
 * applied. Rejects as `readSitemap` does; without that, no sitemap is read, and what it lists is one project that is `unread`.
 */
export async function loadProjects(file: string, readSitemap?: ReadSitemap): Promise<Loaded<Projects>> {
  const written = await load(file, (text) => parse(text, file, () => WrittenProjects), maxProjectFileBytes);
  if (!written.ok) return written;
  const projects: Project[] = [];
  const problems: Problem[] = [];
  const issues: Issue[] = [];
  for (const [entry, { targets: given, ...project }] of written.value.entries()) {
    if (Array.isArray(given)) {
      projects.push({ ...project, targets: given, entry });
      continue;
    }
    if (isSitemap(given)) {
      const { from, source } = given;
      if (readSitemap === undefined) {
        projects.push({ ...project, targets: [{ source, url: from }], entry, unread: from });
        continue;
      }
      // Nobody is asked for a list that is refused anyway.
      if (problems.length + issues.length > 0) continue;
      const read = sitemapProjects(await readSitemap(given), given, { ...project, entry });
      if (read.ok) for (const each of read.value) projects.push(each);
      else issues.push(...read.faults.map((message) => ({ path: [entry, 'targets', 'from'], message })));
      continue;
    }
    const path = resolve(dirname(file), given.from);
    const read = await load(path, (text) => readTargets(text, path, given, { ...project, entry }), maxProjectFileBytes);
    if (read.ok) for (const each of read.value) projects.push(each);
    else problems.push(...read.problems);
  }
  if (problems.length + issues.length === 0) issues.push(...repeatedIssues(projects));
  if (issues.length > 0) problems.push(...(await problemsIn(file, issues, maxProjectFileBytes)));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: projects };
}

/** Yields issues of projects that rows of tables make: ids that others have, and too many of them. */
function* repeatedIssues(projects: Projects): Generator<Issue> {
  const seen = new Map<string, number>();
  for (const { id, entry } of projects) {
    const first = seen.get(id) ?? entry;
    if (first !== entry) yield { path: [entry, 'id'], message: `expected each id once, got "${id}" as in [${first}]` };
    seen.set(id, first);
  }
  if (projects.length > maxProjects)
    yield { path: [], message: `expected at most ${maxProjects} projects, got ${projects.length}` };
}

/** Whether a file holds a YAML list, as project files do and no others. */
export async function holdsList(file: string): Promise<boolean> {
  const loaded = await load(file, (text) => readYaml(text, file), maxProjectFileBytes);
  return loaded.ok && Array.isArray(loaded.value);
}
