/** The line of the requests that the scrapes of a source make after their first turns. */
export function underWayLine(source: string): string {
  return `${source} under way`;
}

/** The line of the requests of a source that others wait for. */
export function passingLine(source: string): string {
  return `${source} first`;
}

/** The lines that the circuit of a source may shut. */
export function linesOf(source: string): readonly string[] {
  return [source, underWayLine(source), passingLine(source)];
}
