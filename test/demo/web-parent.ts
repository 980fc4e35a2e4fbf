import { startWebProcess } from '../../src/demo/web-process.ts';

// Starts a web and says where it is, for a test that then kills this process.
const web = await startWebProcess();
process.stdout.write(`${JSON.stringify({ port: web.port, pid: web.process.pid })}\n`);
