/** Instants that a tool may have kept a page at, in seconds: after 1990, and before 2100. */
export const [firstSeconds, lastSeconds] = [631_152_000, 4_102_444_800] as const;
