/** Whether a bench is asked for a smaller size of itself, of some seconds. */
export const isQuick = process.argv.includes('--quick');

/** Prints what a bench found, for machines where it is asked to. */
export function show(bench: string, rows: readonly Readonly<Record<string, string | number>>[]): void {
  if (process.argv.includes('--json')) console.log(JSON.stringify({ bench, rows }));
  else console.table(rows);
}
