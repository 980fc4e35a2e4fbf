/** Whether a project with some labels is one of those that a limit to labels leaves: it has one of the limit. */
export function hasLabelOf(limit: readonly string[], labels: readonly string[]): boolean {
  return labels.some((label) => limit.includes(label));
}
