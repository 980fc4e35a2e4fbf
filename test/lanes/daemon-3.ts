import { loadShare } from './lane.ts';

await loadShare('daemon', 3, 3);
