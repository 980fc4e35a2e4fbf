import { userInfo } from 'node:os';

/** The name of the user on this machine, for the logs of what people do. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user that the system has no entry of.
    return 'somebody';
  }
}
