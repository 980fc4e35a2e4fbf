const measures = ['length', 'segments', 'arguments'] as const;

/** What is measured of a URL: its characters, the segments of its path, the arguments of its query. */
export type Measure = (typeof measures)[number];

/** The last medians of a sequence of URLs, as plain data of bounded size. */
export interface Growth {
  /** Of the URLs since the last median: characters, segments, arguments. */
  readonly open: readonly Shape[];
  /** The oldest first, at most 7. */
  readonly medians: readonly Shape[];
}

type Shape = readonly [length: number, segments: number, arguments: number];

/** URLs per median: one that is long or short says nothing. */
const perMedian = 25;
const maxMedians = 7;
/** Fewer medians in order come by chance. */
const minMedians = 4;

export function addGrowth({ open, medians }: Growth = { open: [], medians: [] }, url: string): Growth {
  const shapes = [...open, shapeOf(url)];
  if (shapes.length < perMedian) return { open: shapes, medians };
  const median = [0, 1, 2].map((index) => medianOf(shapes.map((shape) => shape[index] ?? 0)));
  const [length = 0, segments = 0, count = 0] = median;
  return { open: [], medians: [...medians, [length, segments, count] as const].slice(-maxMedians) };
}

/** What never shrank and is larger in the end: each is a reason to expect that it goes on. */
export function growing({ medians }: Growth): Measure[] {
  if (medians.length < minMedians) return [];
  return measures.filter((_, index) => {
    const values = medians.map((median) => median[index] ?? 0);
    const isRising = values.every((value, at) => at === 0 || value >= (values[at - 1] ?? value));
    return isRising && (values.at(-1) ?? 0) > (values[0] ?? 0);
  });
}

function shapeOf(text: string): Shape {
  const url = URL.parse(text);
  return [text.length, url?.pathname.split('/').length ?? 0, url?.searchParams.size ?? 0];
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
