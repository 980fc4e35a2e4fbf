import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the repository. */
export const repository = join(import.meta.dirname, '..', '..');

/** What the lockfile says of a package. */
interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dev?: true;
  readonly devOptional?: true;
  readonly optional?: true;
}

/** A lockfile, as far as it is read here: the packages by the folders that they are installed in; the one at `''` is ours. */
interface Lockfile {
  readonly packages: Readonly<Record<string, Locked>>;
}

/** Reads a JSON file of the repository. */
export function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(repository, name), 'utf8'));
}

/** Reads the lockfile without what only development needs. */
export function productionLock(): Lockfile {
  const lock = readJson('package-lock.json') as Lockfile;
  const needed = Object.entries(lock.packages).filter(([, { dev, devOptional }]) => !dev && !devOptional);
  return { ...lock, packages: Object.fromEntries(needed) };
}

/** A package that is installed with Heronry. */
export interface ProductionPackage {
  /** The folder that it is installed in, within the repository. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** By SPDX; missing where it says none. */
  readonly license?: string;
  /** Whether it is for some systems only, or may be left out. */
  readonly isOptional: boolean;
}

/** Lists the packages that are installed with Heronry, on whichever system, by name and version. */
export function productionPackages(): readonly ProductionPackage[] {
  return Object.entries(productionLock().packages)
    .filter(([folder]) => folder !== '')
    .map(([folder, { version, license, optional = false }]) => ({
      folder,
      name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      ...(license !== undefined && { license }),
      isOptional: optional,
    }))
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** The name of a package with its version. */
export function nameOf({ name, version }: Pick<ProductionPackage, 'name' | 'version'>): string {
  return `${name}@${version}`;
}
