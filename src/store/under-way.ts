/** Transactions that have begun or wait to, in all environments of this process. */
let underWay = 0;

/** Counts a transaction until it is over. */
export async function counted<T>(transaction: () => Promise<T>): Promise<T> {
  underWay += 1;
  try {
    return await transaction();
  } finally {
    underWay -= 1;
  }
}

/** Whether any transaction is under way. */
export function isWriteUnderWay(): boolean {
  return underWay > 0;
}
