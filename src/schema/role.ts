import * as z from 'zod';

/**
 * What a caller may do, each with all before it: `read` to look, `author` to work on definitions and tickets, `operate` to change
 * what is tracked, `admin` to change the daemon itself.
 */
export const Role = z.enum(['read', 'author', 'operate', 'admin']);
export type Role = z.infer<typeof Role>;

/** Whether a caller of role `held` may do what needs `needed`. */
export function reaches(held: Role, needed: Role): boolean {
  return Role.options.indexOf(held) >= Role.options.indexOf(needed);
}
