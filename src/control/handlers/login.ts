import { endLogIns } from '../../store/log-ins.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import { stoppedText } from '../../view/stopped.ts';
import type { Ports } from './ports.ts';

/** Creates the handlers of the log-ins of browsers. */
export function loginHandlers(
  deps: Pick<Ports, 'clock' | 'store' | 'daemon'>,
): Pick<Handlers, `login.${'invite' | 'end'}`> {
  return {
    async 'login.invite'() {
      const address = await deps.daemon.inviteLogIn();
      if (address === undefined) {
        const stopped = deps.daemon.progress().stopped.find(({ kind, id }) => kind === 'edge' && id === 'http');
        if (stopped !== undefined) throw new ControlError('not_ready', stoppedText(stopped, deps.clock.now()));
        throw new ControlError('not_ready', 'the daemon serves no HTTP: `http: {}` in heronry.yaml has it do so');
      }
      return address;
    },
    async 'login.end'() {
      return { logIns: await endLogIns(deps.store()) };
    },
  };
}
