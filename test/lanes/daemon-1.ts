import { loadShare } from './lane.ts';

await loadShare('daemon', 1, 3);
