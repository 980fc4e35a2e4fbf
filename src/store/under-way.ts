/** Transactions that have begun or wait to, in all environments of this process. */
let underWay = 0;
let isHalted = false;

/** Counts a transaction until it is over. */
export async function counted<T>(transaction: () => Promise<T>): Promise<T> {
  if (isHalted) return new Promise(() => undefined);
  underWay += 1;
  try {
    return await transaction();
  } finally {
    underWay -= 1;
  }
}

/** Has no transaction begin any more: what would write waits for ever. For a process that ends. */
export function halt(): void {
  isHalted = true;
}

/** Whether any transaction is under way. */
export function isWriteUnderWay(): boolean {
  return underWay > 0;
}
