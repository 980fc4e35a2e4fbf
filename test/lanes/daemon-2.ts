import { loadShare } from './lane.ts';

await loadShare('daemon', 2, 3);
