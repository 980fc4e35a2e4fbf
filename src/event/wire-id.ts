/** The id of an event outside of the control socket: the same for ever, and different in each restored copy of a store. */
export function wireId(store: { generation(): string }, serial: number): string {
  return `${store.generation()}-${serial}`;
}

/** The serial of an id outside of the control socket, or a serial alone; `undefined` for any other text, and for an id of another generation. */
export function serialOf({ generation }: { generation(): string }, id: string): number | undefined {
  const [, of = generation(), serial = ''] = /^(?:(.+)-)?(\d{1,15})$/.exec(id) ?? [];
  return of === generation() && serial !== '' ? Number(serial) : undefined;
}
