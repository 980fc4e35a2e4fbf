/** The labels of a project: texts of 1 to 64 characters, 32 at most. */
export function labelsOf(tags: readonly string[]): { readonly labels?: readonly string[] } {
  const labels = [
    ...new Set(
      tags.map((tag) =>
        tag
          .replaceAll(/\p{Cc}+/gu, ' ')
          .trim()
          .slice(0, 64)
          .trim(),
      ),
    ),
  ].filter((tag) => tag !== '');
  return labels.length === 0 ? {} : { labels: labels.slice(0, 32) };
}
