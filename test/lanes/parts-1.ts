import { loadShare } from './lane.ts';

await loadShare('parts', 1, 3);
