interface Declaring<F> {
  readonly fields: F;
  readonly page?: { readonly fields: F } | undefined;
}

/** Returns the fields of a record type by name: those of the list, and those of the page that its item leads to. */
export function allFields<F extends object>({ fields, page }: Declaring<F>): F {
  return page === undefined ? fields : { ...fields, ...page.fields };
}
